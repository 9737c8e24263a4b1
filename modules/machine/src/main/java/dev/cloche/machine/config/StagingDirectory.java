package dev.cloche.machine.config;

import dev.cloche.base.DurableFiles;
import dev.cloche.linux.LockFile;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.PersistedMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Holds the directory of a machine that is being made: it gets its name when it is whole, or is removed. */
public final class StagingDirectory implements AutoCloseable {
    private final Path directory;
    private final Path lockFile;
    private final LockFile lock;

    private StagingDirectory(Path directory, Path lockFile, LockFile lock) {
        this.directory = directory;
        this.lockFile = lockFile;
        this.lock = lock;
    }

    public static StagingDirectory create(MachineStore store) throws IOException {
        while (true) {
            Path directory = store.directories().staging();
            Path lockFile = store.directories().lockOf(directory);
            // First the lock: no sweep takes the directory for one that a killed process left.
            Optional<LockFile> lock = LockFile.tryLock(lockFile);
            if (lock.isPresent()) {
                StagingDirectory staging = new StagingDirectory(directory, lockFile, lock.get());
                try {
                    DurableFiles.ensureDirectory(directory);
                    if (lock.get().isOf(lockFile)) {
                        return staging;
                    }
                } catch (Throwable failure) {
                    staging.close();
                    throw failure;
                }
                staging.close();
            }
            // A sweep was faster by an instant, and took the lock for one that was left.
        }
    }

    public Path directory() {
        return directory;
    }

    /**
     * Writes the configuration into it, durably.
     *
     * @throws MachineException.Invalid if a text cannot be written down
     */
    void writeConfig(PersistedMachine machine) throws IOException {
        try {
            DurableFiles.write(
                    directory.resolve(MachineDirectories.CONFIG),
                    MachineDocument.of(machine).bytes());
        } catch (DocumentException e) {
            throw MachineFiles.notWritable(machine, e);
        }
    }

    @Override
    public void close() throws IOException {
        try (lock) {
            if (Files.exists(directory)) {
                MachineDirectoryRemoval.delete(directory);
            }
            Files.deleteIfExists(lockFile);
        }
    }
}
