package dev.cloche.qemu.machine;

import dev.cloche.base.Deadline;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.guard.GuardFiles;
import dev.cloche.qemu.guard.StoredSpec;
import dev.cloche.qemu.guard.VmNote;
import dev.cloche.qemu.qmp.QemuMonitor;
import dev.cloche.qemu.qmp.QmpAnswer;
import dev.cloche.qemu.qmp.QmpCommand;
import dev.cloche.qemu.qmp.QmpConnection;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.WritableLayer;
import dev.cloche.vmm.disk.DiskDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Halts the guest of a VM, and lets it go on.
 *
 * <p>A guest that is halted because the host's disk has failed, or because it has come to its limit, is told to go on by its
 * guard, under the monitor's lock. QEMU does not tell such a halt from one that is asked for in addition; so the notes {@code held}
 * and {@code paused} say that one was.
 */
final class GuestPause {
    private final VmLayout layout;
    private final VmId id;
    private final QemuMonitor monitor;
    private final GuardFiles files;

    GuestPause(VmLayout layout, VmId id) {
        this.layout = layout;
        this.id = id;
        monitor = new QemuMonitor(layout, id);
        files = new GuardFiles(layout.directory(id));
    }

    /**
     * Nothing happens if it is halted.
     *
     * @throws VmException.Monitor if QEMU cannot be reached
     */
    void begin(Deadline deadline) {
        converse("stop", deadline, this::halt);
    }

    private QmpAnswer.Done halt(QmpConnection qemu) throws IOException {
        QmpAnswer.Done done = qemu.execute(QmpCommand.of("stop"));
        String status = qemu.execute(QmpCommand.of("query-status")).texts().getOrDefault("status", "");
        if (status.equals("io-error")) {
            VmNote.HELD.leaveOrThrow(directory());
        }
        if (VmNote.AT_LIMIT.isIn(directory())) {
            VmNote.PAUSED.leaveOrThrow(directory());
        }
        return done;
    }

    /**
     * Nothing happens if it runs. Comes after others that speak to the monitor: who halted a guest for a moment must not leave
     * it so.
     *
     * @param kill ends the VM
     * @throws VmException.ImageAside if it cannot go on; its VM is ended
     * @throws VmException.Monitor if QEMU cannot be reached
     */
    void end(Runnable kill, Deadline deadline) {
        converse("cont", deadline, qemu -> {
            if (files.imageAside()) {
                kill.run();
                throw new VmException.ImageAside(id);
            }
            movesOn();
            VmNote.HELD.remove(directory());
            VmNote.PAUSED.remove(directory());
            return qemu.execute(QmpCommand.of("cont"));
        });
    }

    private void movesOn() {
        if (files.suspended()) {
            disk().ifPresent(DiskDirectory::movesOn);
            files.notSuspended();
        }
    }

    /** Returns its persistent disk, if it has one. */
    Optional<DiskDirectory> disk() {
        return StoredSpec.read(directory(), id).writable() instanceof WritableLayer.Persistent(Path disk)
                ? Optional.of(new DiskDirectory(disk))
                : Optional.empty();
    }

    private Path directory() {
        return layout.directory(id);
    }

    private void converse(String command, Deadline deadline, QemuMonitor.Talk<QmpAnswer.Done> talk) {
        try {
            var _ = monitor.converse(deadline, talk);
        } catch (IOException e) {
            throw new VmException.Monitor("QEMU cannot be reached for '" + command + "': " + e.getMessage(), e);
        }
    }
}
