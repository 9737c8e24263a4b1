package dev.cloche.machine.config;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import dev.cloche.machine.MachineException;
import java.nio.file.Path;
import java.util.Optional;

/** Excludes all other threads of all processes from what a file stands for, until it is closed. */
public final class HeldLock implements AutoCloseable {
    private final LockFile file;

    private HeldLock(LockFile file) {
        this.file = file;
    }

    /**
     * Waits for the lock. A thread that has it already waits for itself: locks are not nested.
     *
     * @return empty if the deadline passed first
     * @throws MachineException.Interrupted if the thread is interrupted
     */
    public static Optional<HeldLock> take(Path path, Deadline deadline) {
        try {
            Optional<LockFile> file = LockFile.lock(path, deadline);
            // A file that its last holder has deleted meanwhile excludes nobody.
            while (file.isPresent() && !file.get().isOf(path)) {
                file.get().close();
                file = LockFile.lock(path, deadline);
            }
            return file.map(HeldLock::new);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MachineException.Interrupted("waiting for others who work on machines");
        }
    }

    @Override
    public void close() {
        file.close();
    }
}
