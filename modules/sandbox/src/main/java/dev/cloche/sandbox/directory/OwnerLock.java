package dev.cloche.sandbox.directory;

import dev.cloche.linux.LockFile;

/**
 * Excludes all other processes from owning, starting, settling or removing a sandbox. Ends with this object or with the
 * process.
 */
public final class OwnerLock implements AutoCloseable {
    private final SandboxDirectory directory;
    private final LockFile lock;

    OwnerLock(SandboxDirectory directory, LockFile lock) {
        this.directory = directory;
        this.lock = lock;
    }

    /** Returns what it locks. */
    public SandboxDirectory directory() {
        return directory;
    }

    /** Lets go of it. Closing twice does nothing. */
    @Override
    public void close() {
        lock.close();
    }
}
