package dev.cloche.image.store;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import dev.cloche.linux.SystemCallException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Optional;

/**
 * Locks one name of the cache against all other threads and processes, until it is closed. The file is never deleted: a lock
 * on a name that is gone excludes no other.
 */
public final class CacheLock implements AutoCloseable {
    private final LockFile file;

    private CacheLock(LockFile file) {
        this.file = file;
    }

    /**
     * Waits for the lock.
     *
     * @return empty if the deadline passed first
     * @throws IOException if the file cannot be made or opened
     */
    public static Optional<CacheLock> take(Path file, Deadline deadline) throws IOException, InterruptedException {
        try {
            return LockFile.lock(file, deadline).map(CacheLock::new);
        } catch (SystemCallException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    public static void closeAll(Collection<CacheLock> locks) {
        locks.forEach(CacheLock::close);
    }

    @Override
    public void close() {
        file.close();
    }
}
