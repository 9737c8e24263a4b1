package dev.cloche.linux;

import dev.cloche.base.Deadline;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Holds a {@code flock(2)} on a file that is kept open: it ends when this object is closed or the process ends, and works
 * across PID namespaces. Waits only where it is told to.
 *
 * <p>Not {@link java.nio.channels.FileLock}, which is a record lock of {@code fcntl(2)}: those do not meet a
 * {@code flock}, and closing any other descriptor of the file drops them.
 *
 * <p>Two locks of one file exclude each other inside of one process too. Safe for use from several threads.
 */
public final class LockFile implements AutoCloseable {
    private static final int O_RDONLY = 0;
    private static final int O_RDWR = 2;
    private static final int O_CREAT = 0x40;
    private static final int O_CLOEXEC = 0x80000;
    private static final int MAKING = O_RDWR | O_CREAT | O_CLOEXEC;
    private static final int LOCK_SH = 1;
    private static final int LOCK_EX = 2;
    private static final int LOCK_NB = 4;
    private static final int LOCK_UN = 8;
    private static final int CLOSED = -1;

    private final Libc libc;
    private final AtomicInteger fd;

    LockFile(Libc libc, int fd) {
        this.libc = libc;
        this.fd = new AtomicInteger(fd);
    }

    /**
     * Takes the exclusive lock, unless any lock of the file is held; the file is made (0600) if it is missing.
     *
     * @throws SystemCallException if the file cannot be opened or made
     */
    public static Optional<LockFile> tryLock(Path path) {
        return tryLock(LibcHolder.libc(), path, LOCK_EX);
    }

    /**
     * Takes the exclusive lock of a directory, unless any lock of it is held.
     *
     * @throws SystemCallException if the directory cannot be opened
     */
    public static Optional<LockFile> tryLockDirectory(Path directory) {
        Libc libc = LibcHolder.libc();
        return take(libc, open(libc, directory, O_RDONLY | O_CLOEXEC), directory, LOCK_EX);
    }

    /**
     * Makes the file of a lock (0600) if it is missing, and takes no lock.
     *
     * @throws SystemCallException if it cannot be opened or made
     */
    public static void make(Path path) {
        Libc libc = LibcHolder.libc();
        int fd = open(libc, path, MAKING);
        if (fd < 0) {
            throw new SystemCallException("open", path.toString(), -fd);
        }
        libc.close(fd);
    }

    /** Takes the lock as {@link #tryLock} does, but shared with others that also take it shared. */
    public static Optional<LockFile> tryShared(Path path) {
        return tryLock(LibcHolder.libc(), path, LOCK_SH);
    }

    /**
     * Takes the lock as {@link #tryLock(Path)} does, but waits in the kernel until the holder lets go of the lock; empty if
     * the deadline passes before. A wait that was given up has the lock for an instant when it comes free, if no other caller
     * of this process waits for it.
     *
     * @throws InterruptedException if the thread is interrupted; it has no lock then
     */
    public static Optional<LockFile> lock(Path path, Deadline deadline) throws InterruptedException {
        return lock(LibcHolder.libc(), path, LOCK_EX, MAKING, deadline);
    }

    /** Takes the lock as {@link #lock} does, but shared with others that also take it shared. */
    public static Optional<LockFile> lockShared(Path path, Deadline deadline) throws InterruptedException {
        return lock(LibcHolder.libc(), path, LOCK_SH, MAKING, deadline);
    }

    /**
     * Waits in the kernel for the release of the exclusive lock, up to the deadline. A missing file is free, and stays
     * missing: so nothing is made where the holder is deleting it.
     *
     * @throws SystemCallException if the file cannot be opened
     * @throws InterruptedException if the thread is interrupted
     */
    public static void awaitFree(Path path, Deadline deadline) throws InterruptedException {
        try {
            lock(LibcHolder.libc(), path, LOCK_SH, O_RDONLY | O_CLOEXEC, deadline)
                    .ifPresent(LockFile::close);
        } catch (SystemCallException e) {
            if (e.errno() != Errno.ENOENT) {
                throw e;
            }
        }
    }

    private static Optional<LockFile> lock(Libc libc, Path path, int kind, int flags, Deadline deadline)
            throws InterruptedException {
        Optional<LockFile> free = take(libc, open(libc, path, flags), path, kind);
        if (free.isPresent() || deadline.passed()) {
            return free;
        }
        int fd = open(libc, path, flags);
        if (fd < 0) {
            throw new SystemCallException("open", path.toString(), -fd);
        }
        CompletableFuture<LockFile> taken = LockWaiter.await(libc, fd, path, kind);
        try {
            return Optional.of(taken.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException | InterruptedException e) {
            if (taken.cancel(false)) {
                if (e instanceof InterruptedException interrupted) {
                    throw interrupted;
                }
                return Optional.empty();
            }
            // It came at the last moment. An interrupt is left to the caller, who has the lock.
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            return Optional.of(taken.join());
        } catch (ExecutionException e) {
            throw (SystemCallException) e.getCause();
        }
    }

    /**
     * Returns whether the exclusive lock is held now. A missing file is not locked.
     *
     * <p>The probe is a shared lock for an instant: a process that tries the exclusive lock right then is refused, so probe
     * only where the holder can be expected to have its lock already.
     *
     * @throws SystemCallException if the file cannot be opened
     */
    public static boolean isHeld(Path path) {
        return isHeld(LibcHolder.libc(), path);
    }

    static boolean isHeld(Libc libc, Path path) {
        int fd = open(libc, path, O_RDONLY | O_CLOEXEC);
        if (fd == -Errno.ENOENT) {
            return false;
        }
        return take(libc, fd, path, LOCK_SH).map(LockFile::closeAndSayFree).orElse(true);
    }

    static Optional<LockFile> tryLock(Libc libc, Path path, int kind) {
        return take(libc, open(libc, path, MAKING), path, kind);
    }

    private static Optional<LockFile> take(Libc libc, int fd, Path path, int kind) {
        if (fd < 0) {
            throw new SystemCallException("open", path.toString(), -fd);
        }
        int result;
        do {
            result = libc.flock(fd, kind | LOCK_NB);
        } while (result == -Errno.EINTR);
        if (result == 0) {
            return Optional.of(new LockFile(libc, fd));
        }
        libc.close(fd);
        if (result == -Errno.EAGAIN) {
            return Optional.empty();
        }
        throw new SystemCallException("flock", path.toString(), -result);
    }

    private static int open(Libc libc, Path path, int flags) {
        try (Arena arena = Arena.ofConfined()) {
            return libc.open(arena.allocateFrom(path.toString()), flags, 0600);
        }
    }

    /**
     * Returns whether {@code path} still names the very file that is locked. Where holders delete their lock files, the one
     * that was opened may have lost its name before it was locked, and then excludes no other.
     */
    public boolean isOf(Path path) {
        try {
            // The link of an open descriptor leads to its file, also if that has no name any more.
            Path open = Path.of("/proc/self/fd", Integer.toString(fd.get()));
            return LockWaiter.key(open).equals(LockWaiter.key(path));
        } catch (IOException gone) {
            return false;
        }
    }

    private boolean closeAndSayFree() {
        close();
        return false;
    }

    /**
     * Lets go of the lock; the file stays. A child process that is being started has a copy of the descriptor until its exec,
     * and would keep the lock for so long: so it is unlocked, not only closed.
     */
    @Override
    public void close() {
        int open = fd.getAndSet(CLOSED);
        if (open != CLOSED) {
            libc.flock(open, LOCK_UN);
            libc.close(open);
        }
    }
}
