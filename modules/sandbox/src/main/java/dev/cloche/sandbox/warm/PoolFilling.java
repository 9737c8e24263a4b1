package dev.cloche.sandbox.warm;

import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.linux.LockFile;
import dev.cloche.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Lets one process fill the pools at a time, and no request be lost: besides the one that fills one more may wait, and
 * begins to look only when it is its turn. A process that finds another waiting can go: its request is seen.
 */
public final class PoolFilling {
    private final Path directory;

    public PoolFilling(Path stateRoot) {
        directory = stateRoot.resolve("pools");
    }

    private Path filling() {
        return directory.resolve("filling.lock");
    }

    private Path next() {
        return directory.resolve("next.lock");
    }

    /** Says whether a process waits to fill, which will see what is requested now. */
    boolean isWaitedFor() {
        return LockFile.isHeld(next());
    }

    /**
     * Does something as the only one.
     *
     * @return empty if another process is waiting to do the same, or the deadline has passed
     */
    public <T> Optional<T> alone(Supplier<T> work, Deadline deadline) throws InterruptedException {
        try {
            DurableFiles.ensureDirectory(directory);
        } catch (IOException e) {
            throw new SandboxException.StorageFailed(directory, e);
        }
        Optional<LockFile> waiting = LockFile.tryLock(next());
        if (waiting.isEmpty()) {
            return Optional.empty();
        }
        Optional<LockFile> mine;
        try (LockFile _ = waiting.get()) {
            mine = LockFile.lock(filling(), deadline);
        }
        if (mine.isEmpty()) {
            return Optional.empty();
        }
        try (LockFile _ = mine.get()) {
            return Optional.of(work.get());
        }
    }
}
