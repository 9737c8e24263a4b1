package dev.cloche.sandbox.warm;

import dev.cloche.base.DurableFiles;
import dev.cloche.linux.FileSignal;
import dev.cloche.linux.LockFile;
import dev.cloche.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Signals between the processes that keep pools and those that take from them; files below {@code pools}. */
public final class PoolSignal {
    private static final Pattern KEPT = Pattern.compile("kept-([0-9]{1,18})\\.lock");

    private final Path directory;
    private final Path changed;

    public PoolSignal(Path stateRoot) {
        directory = stateRoot.toAbsolutePath().resolve("pools");
        changed = directory.resolve("changed");
    }

    /** Tells the processes that keep pools that a pool was set or removed, or something taken from its shelf. */
    void give() {
        try {
            FileSignal.give(changed);
        } catch (IOException noListenerYet) {
            // The first one that listens makes the file, and then looks.
        }
    }

    /** Listens for that from now on. */
    FileSignal listen() {
        try {
            DurableFiles.ensureDirectory(directory);
            try {
                var _ = Files.createFile(changed);
            } catch (FileAlreadyExistsException known) {
                // Of an earlier listener.
            }
            return FileSignal.listen(directory);
        } catch (IOException e) {
            throw new SandboxException.StorageFailed(directory, e);
        }
    }

    /** Makes this process the one that keeps a pool at its depth, if no other is; until the lock is closed. */
    Optional<LockFile> tryKeep(long pool) {
        return LockFile.tryLock(kept(pool));
    }

    /** Says whether some process keeps a pool at its depth. */
    boolean isKept(long pool) {
        return LockFile.isHeld(kept(pool));
    }

    private Path kept(long pool) {
        return directory.resolve("kept-" + pool + ".lock");
    }

    /** Removes the lock files of pools that are gone, whose ids are never given again. */
    void forgetOthers(Set<Long> pools) {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Matcher name = KEPT.matcher(file.getFileName().toString());
                if (name.matches() && !pools.contains(Long.parseLong(name.group(1)))) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (IOException e) {
            System.getLogger(PoolSignal.class.getName()).log(System.Logger.Level.DEBUG, "a lock file stays", e);
        }
    }
}
