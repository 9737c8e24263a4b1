package dev.cloche.qemu.disk;

import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.base.Printable;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.guard.VmNote;
import dev.cloche.qemu.qmp.QemuMonitor;
import dev.cloche.qemu.qmp.QmpCommand;
import dev.cloche.qemu.qmp.QmpConnection;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import dev.cloche.vmm.disk.DiskDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What is done to the writable disk of a VM that runs, if it has one. */
public final class QemuDisk {
    public static final String DEVICE = "upper";

    private final VmSpec spec;
    private final VmLayout layout;
    private final DiskTools tools;
    private final Path vm;

    public QemuDisk(VmSpec spec, VmLayout layout, DiskTools tools) {
        this.spec = spec;
        this.layout = layout;
        this.tools = tools;
        vm = layout.directory(spec.id());
    }

    private boolean exists() {
        return !(spec.writable() instanceof WritableLayer.InMemory);
    }

    private DiskChain chain() {
        return spec.writable() instanceof WritableLayer.Persistent(Path directory)
                ? DiskChain.persistent(directory, tools)
                : new DiskChain(vm, tools);
    }

    /** Returns what the guest sees; 0 without a disk. */
    public int sizeMiB() {
        return switch (spec.writable()) {
            case WritableLayer.InMemory _ -> 0;
            case WritableLayer.Disk(int sizeMiB) -> sizeMiB;
            case WritableLayer.Persistent(Path directory) ->
                new DiskDirectory(directory).read().sizeMiB();
        };
    }

    /**
     * Draws the layers of the disk together where one more would be too many. The guest runs meanwhile; QEMU copies what is in
     * the layers between the lowest one and the top.
     *
     * @return whether there are files now that the disk does not need; {@link #share} removes them
     */
    public boolean shorten(Deadline deadline) throws IOException {
        if (!exists()) {
            return false;
        }
        List<Path> layers = chain().layers();
        if (layers.size() < DiskChain.MAX_LAYERS) {
            return false;
        }
        Path lowest = layers.getFirst();
        Map<String, String> end = new QemuMonitor(layout, spec.id()).converse(deadline, qemu -> {
            var _ = qemu.execute(new QmpCommand(
                    "block-stream",
                    Map.of(
                            "device", DEVICE,
                            "base", lowest.toString(),
                            "backing-file", lowest.getFileName().toString())));
            return qemu.event("BLOCK_JOB_COMPLETED");
        });
        if (end.containsKey("error")) {
            throw new IOException("the layers of the disk could not be drawn together: "
                    + Printable.lines(end.getOrDefault("error", "")));
        }
        return true;
    }

    /**
     * Gives a snapshot the disk as it is now, and has the halted guest write to a new layer from now on.
     *
     * @param shortened whether the layers between the lowest one and the top are not needed
     * @return how many layers the snapshot has; 0 without a disk
     */
    public int share(QmpConnection qemu, Path snapshot, boolean shortened) throws IOException {
        if (!exists()) {
            return 0;
        }
        if (VmNote.LAYER_BEGUN.isIn(vm)) {
            throw new IOException("an earlier snapshot of it was given up, and which layer is written to is not known");
        }
        DiskChain chain = chain();
        if (shortened) {
            // Halts what is halted already, and flushes every disk (do_vm_stop in softmmu/cpus.c of QEMU).
            var _ = qemu.execute(QmpCommand.of("stop"));
            chain.forgetMiddle();
        }
        int layers = chain.layers().size();
        chain.share(snapshot);
        VmNote.LAYER_BEGUN.leaveOrThrow(vm);
        Path next = chain.addLayer(sizeMiB());
        try {
            var _ = qemu.execute(new QmpCommand(
                    "blockdev-snapshot-sync",
                    Map.of("device", DEVICE, "snapshot-file", next.toString(), "format", "qcow2", "mode", "existing")));
        } catch (VmException.Monitor refused) {
            DurableFiles.deleteAfter(refused, next);
            VmNote.LAYER_BEGUN.remove(vm);
            throw refused;
        }
        VmNote.LAYER_BEGUN.remove(vm);
        chain.protectBelow(next);
        return layers;
    }
}
