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
     * Waits for the lock. It is not reentrant: a thread that holds it already waits until the deadline.
     *
     * @return empty if the deadline passed first
     * @throws MachineException.Interrupted if the thread is interrupted
     */
    public static Optional<HeldLock> take(Path path, Deadline deadline) {
        try {
            Optional<LockFile> file = LockFile.lock(path, deadline);
            // The last holder may have deleted the file; a lock on it then does not exclude those that open the path
            // anew.
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
