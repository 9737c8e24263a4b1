package dev.cloche.qemu.qmp;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.guard.VmNote;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmHindrance;
import dev.cloche.vm.VmId;
import dev.cloche.vmm.VmWaits;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Speaks to QEMU over QMP (docs/interop/qmp-spec of QEMU: one JSON object a line).
 *
 * <p>Its socket serves one client at a time and lets a second one hang, so each conversation is a short connection of its
 * own, under a lock file. QEMU runs the guest and is trusted no more than it: answers are bounded.
 */
public final class QemuMonitor {
    private final VmId id;
    private final Path directory;
    private final Path socket;
    private final Path lock;

    public QemuMonitor(VmLayout layout, VmId id) {
        this.id = id;
        directory = layout.directory(id);
        socket = layout.monitorSocket(id);
        lock = layout.monitorLock(id);
    }

    /** What is said in one conversation. */
    @FunctionalInterface
    public interface Talk<T> {
        T with(QmpConnection qemu) throws IOException;
    }

    /**
     * Has a conversation, after those of others.
     *
     * @throws VmException.Busy if another process speaks to this monitor up to the deadline
     * @throws VmException.Monitor if QEMU refuses a command
     * @throws IOException if QEMU cannot be reached, or ends meanwhile
     */
    public <T> T converse(Deadline deadline, Talk<T> talk) throws IOException {
        try (LockFile _ = awaitLock(deadline)) {
            return talk(deadline, talk);
        }
    }

    private <T> T talk(Deadline deadline, Talk<T> talk) throws IOException {
        try (QmpConnection qemu = QmpConnection.open(socket, deadline, this::requireAnswering)) {
            return talk.with(qemu);
        }
    }

    /** Of a guest that is halted for its disk QEMU answers all the same. */
    private void requireAnswering() {
        if (VmNote.SILENT.isIn(directory)) {
            throw new VmException.Hindered(id, VmHindrance.SILENT);
        }
    }

    private LockFile awaitLock(Deadline deadline) {
        try {
            return LockFile.lock(lock, deadline).orElseThrow(QemuMonitor::busy);
        } catch (InterruptedException e) {
            throw VmWaits.interrupted("the monitor's lock");
        }
    }

    private static VmException.Busy busy() {
        return new VmException.Busy("Another process is speaking to the monitor of this VM", "Try again.");
    }
}
