package dev.cloche.vm;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Speaks to QEMU over QMP (docs/interop/qmp-spec of QEMU: one JSON object a line).
 *
 * <p>Its socket serves one client at a time and lets a second one hang, so each conversation is a short connection of its
 * own, under a lock file. QEMU runs the guest and is trusted no more than it: answers are bounded.
 */
final class QemuMonitor {
    private static final long LOOK_AGAIN_MILLIS = 2;

    private final Path socket;
    private final Path lock;

    QemuMonitor(VmLayout layout, VmId id) {
        socket = layout.monitorSocket(id);
        lock = layout.monitorLock(id);
    }

    /** What is said in one conversation. */
    @FunctionalInterface
    interface Talk<T> {
        T with(QmpConversation qemu) throws IOException;
    }

    /**
     * Executes a command without arguments.
     *
     * @throws VmBusyException if another process is speaking to this monitor
     * @throws VmMonitorException if QEMU refuses the command or cannot be reached
     */
    void execute(String command, Deadline deadline) {
        try (LockFile _ = LockFile.tryLock(lock).orElseThrow(QemuMonitor::busy)) {
            var _ = talk(deadline, qemu -> qemu.execute(QmpCommand.of(command)));
        } catch (IOException e) {
            throw new VmMonitorException("QEMU cannot be reached for '" + command + "': " + e.getMessage(), e);
        }
    }

    /**
     * Has a conversation, after those of others.
     *
     * @throws VmBusyException if another process speaks to this monitor up to the deadline
     * @throws VmMonitorException if QEMU refuses a command
     * @throws IOException if QEMU cannot be reached, or ends meanwhile
     */
    <T> T converse(Deadline deadline, Talk<T> talk) throws IOException {
        try (LockFile _ = awaitLock(deadline)) {
            return talk(deadline, talk);
        }
    }

    private <T> T talk(Deadline deadline, Talk<T> talk) throws IOException {
        try (QmpConversation qemu = QmpConversation.open(socket, deadline)) {
            return talk.with(qemu);
        }
    }

    /** By looking again: the kernel's own wait for a flock ends neither with a deadline nor by an interrupt. */
    private LockFile awaitLock(Deadline deadline) {
        Optional<LockFile> taken = LockFile.tryLock(lock);
        while (taken.isEmpty()) {
            if (deadline.passed()) {
                throw busy();
            }
            try {
                TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN_MILLIS);
            } catch (InterruptedException e) {
                throw Waiting.interrupted("the monitor's lock");
            }
            taken = LockFile.tryLock(lock);
        }
        return taken.get();
    }

    private static VmBusyException busy() {
        return new VmBusyException("Another process is speaking to the monitor of this VM", "Try again.");
    }
}
