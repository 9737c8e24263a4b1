package dev.cloche.sandbox.directory;

import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.linux.DirectoryHandle;
import dev.cloche.linux.FileSignal;
import dev.cloche.linux.LockFile;
import dev.cloche.linux.SystemCallException;
import dev.cloche.linux.TreeRemoval;
import dev.cloche.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Holds the files of one sandbox, {@code sandboxes/<name>-<row id>/} in the state root. No two sandboxes ever have the
 * same directory, because no row's id is given twice.
 *
 * <p>{@code owner.lock} in it is held by the process that owns the sandbox, for as long as it does, and by a process
 * that starts, settles or removes it. A kernel lock ends with its process, so it says which process is alive where a
 * record cannot. A process that has got it must read the row again, because what it knew of the row is from before.
 *
 * <p>The lock is deleted with its directory, by the process that holds it and before the row. So a lock counts only
 * while the directory has it: a process that opened it before it was deleted makes it anew, and finds the row gone.
 */
public final class SandboxDirectory {
    private static final String LOCK = "owner.lock";
    private static final String PAUSE = "pause.lock";
    private static final String COMMIT = "commit.lock";
    /** Each after the first is for a file that another process has made meanwhile. */
    private static final int REMOVALS = 10;

    private final Path path;

    /**
     * Names a directory, which may not be there.
     *
     * @param sandboxes the directory of all sandboxes' directories
     */
    public SandboxDirectory(Path sandboxes, String name) {
        this.path = sandboxes.resolve(name);
    }

    public Path path() {
        return path;
    }

    /** Tells the process that owns it that there is something new in its row, if that process listens to this directory. */
    public void tellOwner() {
        try {
            FileSignal.give(path.resolve(LOCK));
        } catch (IOException unowned) {
            // The next owner reads the row.
        }
    }

    /** Returns where its disk is, if it has one. */
    public Path disk() {
        return path.resolve("disk");
    }

    /** Returns what of its secrets is there for later starts. */
    public KeptSecrets secrets() {
        return new KeptSecrets(path);
    }

    /**
     * Takes the owner's lock unless another process or thread holds it, making the directory if it is missing. Never
     * waits.
     */
    public Optional<OwnerLock> tryLock() {
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

    /**
     * Takes the lock as {@link #tryLock} does, but waits for the one that holds it.
     *
     * @return empty if it is held still when the deadline passes, or the thread is interrupted, which it stays
     */
    public Optional<OwnerLock> lockPatiently(Deadline deadline) {
        Optional<OwnerLock> lock = tryLock();
        try {
            while (lock.isEmpty() && !deadline.passed()) {
                awaitFree(deadline);
                lock = tryLock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return lock;
    }

    private Optional<LockFile> lockIn(Path file) {
        while (true) {
            try {
                DurableFiles.ensureDirectory(path);
                return LockFile.tryLock(file);
            } catch (SystemCallException e) {
                // Not by what is there now: another may have removed the directory, and a third have made it anew.
                if (!e.isForWantOfThePath()) {
                    throw new SandboxException.StorageFailed(path, e);
                }
            } catch (IOException e) {
                throw new SandboxException.StorageFailed(path, e);
            }
        }
    }

    /** Makes the file of {@link #lockPause}, if there is none. */
    void makePause() {
        LockFile.make(path.resolve(PAUSE));
    }

    /**
     * Takes the right to halt its guest or to have it go on, as is recorded. Waits for the process that has it.
     *
     * @return empty if the deadline passes before, or it is gone
     */
    public Optional<LockFile> lockPause(Deadline deadline) throws InterruptedException {
        return lock(PAUSE, deadline);
    }

    /**
     * Takes the right to make an image of it. Waits for the process or thread that has it.
     *
     * @return empty if the deadline passes before, or it is gone
     */
    public Optional<LockFile> lockCommit(Deadline deadline) throws InterruptedException {
        return lock(COMMIT, deadline);
    }

    private Optional<LockFile> lock(String file, Deadline deadline) throws InterruptedException {
        try {
            return LockFile.lock(path.resolve(file), deadline);
        } catch (SystemCallException e) {
            if (!e.isForWantOfThePath()) {
                throw new SandboxException.StorageFailed(path, e);
            }
            return Optional.empty();
        }
    }

    /**
     * Waits for the process that holds the lock now, up to the deadline; another may have it by then. Makes nothing.
     */
    void awaitFree(Deadline deadline) throws InterruptedException {
        try {
            LockFile.awaitFree(path.resolve(LOCK), deadline);
        } catch (SystemCallException e) {
            throw new SandboxException.StorageFailed(path, e);
        }
    }

    /** Says whether a living process owns it, or has it in hand for a moment. */
    public boolean isHeld() {
        return LockFile.isHeld(path.resolve(LOCK));
    }

    /**
     * Removes it with all that is in it; links in it are removed, not followed. It may be missing. The lock goes last: while
     * anything else is there, it keeps others away from it.
     */
    public void remove() {
        Path sandboxes = path.resolveSibling("");
        if (!Files.isDirectory(sandboxes)) {
            return;
        }
        try (DirectoryHandle all = DirectoryHandle.open(sandboxes)) {
            boolean gone = removeFrom(all);
            for (int tries = 1; !gone && tries < REMOVALS; tries++) {
                Optional<OwnerLock> anew = tryLock();
                if (anew.isEmpty()) {
                    // Another process has a new lock in it, and finds out what is to be done with it.
                    return;
                }
                try (OwnerLock _ = anew.get()) {
                    gone = removeFrom(all);
                }
            }
        } catch (SystemCallException e) {
            throw new SandboxException.StorageFailed(path, e);
        }
    }

    private boolean removeFrom(DirectoryHandle sandboxes) {
        return TreeRemoval.remove(sandboxes, path.getFileName().toString(), LOCK);
    }
}
