package dev.cloche.sandbox;

import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.linux.LockFile;
import dev.cloche.linux.SystemCallException;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The files of one sandbox, {@code sandboxes/<name>-<row id>/} in the state root. No two sandboxes ever have the same
 * directory, because no row's id is given twice.
 *
 * <p>{@code owner.lock} in it is held by the process that owns the sandbox, for as long as it does, and by whoever starts,
 * settles or removes it. A kernel lock ends with its process, so it says who is alive where a record cannot. Whoever has got
 * it must read the row again, because what he knew of it is from before.
 *
 * <p>The lock is deleted with its directory, by who holds it and before the row. So a lock counts only while the directory
 * has it: who opened it before it was deleted makes it anew, and finds the row gone.
 */
final class SandboxDirectory {
    private static final String LOCK = "owner.lock";

    private final Path path;

    /** @param sandboxes the directory of all sandboxes' directories */
    SandboxDirectory(Path sandboxes, String name) {
        this.path = sandboxes.resolve(name);
    }

    Path path() {
        return path;
    }

    /** Takes the owner's lock unless somebody holds it, making the directory if it is missing. Never waits. */
    Optional<OwnerLock> tryLock() {
        Path file = path.resolve(LOCK);
        while (true) {
            Optional<LockFile> lock = lockIn(file);
            if (lock.isEmpty()) {
                return Optional.empty();
            }
            if (lock.get().isOf(file)) {
                return Optional.of(new OwnerLock(this, lock.get()));
            }
            lock.get().close();
        }
    }

    private Optional<LockFile> lockIn(Path file) {
        while (true) {
            try {
                DurableFiles.ensureDirectory(path);
                return LockFile.tryLock(file);
            } catch (SystemCallException e) {
                if (Files.isDirectory(path)) {
                    throw new SandboxException.StorageFailed(path, e);
                }
            } catch (IOException e) {
                throw new SandboxException.StorageFailed(path, e);
            }
        }
    }

    /** Waits for who holds the lock now, up to the deadline; another may have it by then. */
    void awaitFree(Deadline deadline) throws InterruptedException {
        try {
            LockFile.lock(path.resolve(LOCK), deadline).ifPresent(LockFile::close);
        } catch (SystemCallException e) {
            if (Files.isDirectory(path)) {
                throw new SandboxException.StorageFailed(path, e);
            }
        }
    }

    /** Whether a living process owns it, or has it in hand for a moment. */
    boolean isHeld() {
        return LockFile.isHeld(path.resolve(LOCK));
    }

    /** Removes it with all that is in it; links in it are removed, not followed. It may be missing. */
    void remove() {
        try {
            Files.walkFileTree(path, new Removal(path.resolve(LOCK)));
        } catch (NoSuchFileException missing) {
            // As was to be reached.
        } catch (IOException e) {
            throw new SandboxException.StorageFailed(path, e);
        }
    }

    /** The lock goes last: while anything else is there, it keeps others away from it. */
    private static final class Removal extends SimpleFileVisitor<Path> {
        private final Path last;

        Removal(Path last) {
            this.last = last;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
            if (!file.equals(last)) {
                Files.deleteIfExists(file);
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure) throws IOException {
            if (failure != null) {
                throw failure;
            }
            if (!directory.equals(last.getParent())) {
                Files.deleteIfExists(directory);
                return FileVisitResult.CONTINUE;
            }
            Files.deleteIfExists(last);
            try {
                Files.deleteIfExists(directory);
            } catch (DirectoryNotEmptyException lockedAnew) {
                // Whoever has made a new lock in it has the directory now, and finds out what is to be done with it.
            }
            return FileVisitResult.CONTINUE;
        }
    }
}
