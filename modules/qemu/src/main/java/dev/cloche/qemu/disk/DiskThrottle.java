package dev.cloche.qemu.disk;

import dev.cloche.base.Deadline;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.guard.StoredSpec;
import dev.cloche.qemu.qmp.QemuMonitor;
import dev.cloche.qemu.qmp.QmpCommand;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import dev.cloche.vm.WritableLayer.Throttle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Bounds what a guest may ask of its writable disk, from its start on ({@link #options}) and while it runs. The bound is QEMU's, of the
 * disk's backend: neither a device nor a snapshot's state knows of it, so it is no part of the key of snapshots. What QEMU itself
 * does to the disk, to draw layers together or to finish requests before a guest is halted, is not bound by it.
 */
public final class DiskThrottle {
    private static final String COMMAND = "block_set_io_throttle";

    private final VmId id;
    private final Path directory;
    private final QemuMonitor monitor;

    public DiskThrottle(VmLayout layout, VmId id) {
        this.id = id;
        directory = layout.directory(id);
        monitor = new QemuMonitor(layout, id);
    }

    /** Returns it in the form of the options of {@code -drive}, with a comma in front; empty without a bound. */
    public static String options(Throttle throttle) {
        StringBuilder out = new StringBuilder();
        throttle.iops().ifPresent(iops -> out.append(",throttling.iops-total=").append(iops));
        throttle.bytesPerSecond()
                .ifPresent(bytes -> out.append(",throttling.bps-total=").append(bytes));
        return out.toString();
    }

    /** Returns the command that sets it in place of what is in force. QEMU wants all six numbers; 0 is for no bound. */
    static QmpCommand command(Throttle throttle) {
        return new QmpCommand(
                COMMAND,
                Map.of(
                        "device", QemuDisk.DEVICE,
                        "iops", throttle.iops().orElse(0),
                        "iops_rd", 0,
                        "iops_wr", 0,
                        "bps", throttle.bytesPerSecond().orElse(0),
                        "bps_rd", 0,
                        "bps_wr", 0));
    }

    /**
     * Records a bound, and has it hold.
     *
     * @param throttle asked for when no other process speaks to the monitor
     * @throws VmException.Invalid if the VM has no writable disk
     * @throws VmException.Monitor if QEMU cannot be reached, or refuses
     */
    public void change(Supplier<Throttle> throttle, Deadline deadline) {
        if (spec().writable() instanceof WritableLayer.InMemory) {
            throw VmSpec.noDiskToBind();
        }
        converse(deadline, () -> {
            Throttle next = throttle.get();
            // In this order: the process that adopts the VM makes up for what a crash leaves out.
            StoredSpec.write(directory, spec().withThrottle(next));
            return next;
        });
    }

    /**
     * Has the bound hold that is recorded, or lets the guest finish what it has to write without one. Nothing is said to QEMU
     * where there is none.
     */
    public void enforce(boolean bound, Deadline deadline) {
        if (!spec().throttle().isNone()) {
            converse(deadline, () -> bound ? spec().throttle() : Throttle.none());
        }
    }

    private interface Choice {
        Throttle of() throws IOException;
    }

    private void converse(Deadline deadline, Choice choice) {
        try {
            var _ = monitor.converse(deadline, qemu -> qemu.execute(command(choice.of())));
        } catch (IOException e) {
            throw new VmException.Monitor("QEMU cannot be reached for '" + COMMAND + "': " + e.getMessage(), e);
        }
    }

    private VmSpec spec() {
        return StoredSpec.read(directory, id);
    }
}
