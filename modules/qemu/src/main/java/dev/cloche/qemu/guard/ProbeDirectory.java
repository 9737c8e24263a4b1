package dev.cloche.qemu.guard;

import dev.cloche.linux.LockFile;
import dev.cloche.linux.SystemCallException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Gives a probe of the host a directory of its own, inside a private one. Its lock is held until the probe is done: so the next
 * probe knows what a killed one left, and removes it.
 */
public final class ProbeDirectory implements AutoCloseable {
    private static final String PREFIX = "probe-";

    private final Path path;
    private final LockFile lock;

    private ProbeDirectory(Path path, LockFile lock) {
        this.path = path;
        this.lock = lock;
    }

    /** Makes one, after it has removed those of dead processes. */
    public static ProbeDirectory open(Path workspace) throws IOException {
        sweep(workspace);
        while (true) {
            Path path = Files.createTempDirectory(workspace, PREFIX);
            Optional<LockFile> lock = lock(path);
            // A sweep of another process can take the directory before it is locked.
            if (lock.isPresent() && Files.exists(path)) {
                return new ProbeDirectory(path, lock.get());
            }
            lock.ifPresent(LockFile::close);
        }
    }

    /** Removes those that no living process holds. */
    static void sweep(Path workspace) throws IOException {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(workspace, PREFIX + "*")) {
            for (Path directory : found) {
                Optional<LockFile> alone = lock(directory);
                if (alone.isPresent()) {
                    try (LockFile _ = alone.get()) {
                        VmRemoval.empty(directory);
                    }
                }
            }
        } catch (NoSuchFileException none) {
            return;
        }
    }

    /** Takes its lock, unless it is held or the directory is gone. */
    private static Optional<LockFile> lock(Path directory) throws IOException {
        try {
            return LockFile.tryLockDirectory(directory);
        } catch (SystemCallException e) {
            if (Files.notExists(directory)) {
                return Optional.empty();
            }
            throw new IOException(e.getMessage(), e);
        }
    }

    public Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        try (lock) {
            VmRemoval.empty(path);
        }
    }
}
