package dev.cloche.linux;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;

/**
 * Waits in the kernel for the lock of one file, on behalf of all threads of this process that want it, in their order. The
 * kernel's wait ends neither with a deadline nor by an interrupt, so one thread waits for as long as the holder lives; a
 * caller that gives up leaves it, and the next one joins it. So there is one such thread a file, however often it is asked for.
 */
final class LockWaiter {
    private static final int O_RDONLY = 0;
    private static final int O_CLOEXEC = 0x80000;

    /** Names a file by its inode, for it may have several paths, and the kind of lock. */
    private record Wanted(Object file, int kind) {}

    private static final Map<Wanted, LockWaiter> WAITERS = new HashMap<>();

    private final Libc libc;
    private final Wanted wanted;
    private final Path path;
    private final Queue<CompletableFuture<LockFile>> callers = new ArrayDeque<>();

    private LockWaiter(Libc libc, Wanted wanted, Path path) {
        this.libc = libc;
        this.wanted = wanted;
        this.path = path;
    }

    /**
     * Begins to wait for a lock. A caller that gives up cancels the answer; a lock that has no caller any more when it comes is
     * let go at once.
     *
     * @param fd the open file, which is closed by this class
     */
    static CompletableFuture<LockFile> await(Libc libc, int fd, Path path, int kind) {
        CompletableFuture<LockFile> answer = new CompletableFuture<>();
        Wanted wanted = new Wanted(key(fd), kind);
        synchronized (WAITERS) {
            LockWaiter present = WAITERS.get(wanted);
            if (present != null) {
                present.callers.removeIf(CompletableFuture::isDone);
                present.callers.add(answer);
                libc.close(fd);
            } else {
                LockWaiter waiter = new LockWaiter(libc, wanted, path);
                waiter.callers.add(answer);
                WAITERS.put(wanted, waiter);
                Thread.ofPlatform().daemon().name("cloche-lock").start(() -> waiter.run(fd));
            }
        }
        return answer;
    }

    private void run(int first) {
        int fd = first;
        boolean wantedStill = true;
        while (wantedStill) {
            int result;
            do {
                result = libc.flock(fd, wanted.kind());
            } while (result == -Errno.EINTR);
            if (result != 0) {
                libc.close(fd);
                fail(new SystemCallException("flock", path.toString(), -result));
                return;
            }
            LockFile lock = new LockFile(libc, fd);
            // By the open file, which another may have replaced under its name.
            int next = again(fd);
            wantedStill = give(lock, next);
            if (!wantedStill && next >= 0) {
                libc.close(next);
            }
            fd = next;
        }
    }

    private int again(int fd) {
        try (Arena arena = Arena.ofConfined()) {
            return libc.open(arena.allocateFrom("/proc/self/fd/" + fd), O_RDONLY | O_CLOEXEC, 0);
        }
    }

    /** Gives the lock to the first caller that wants it still, and answers whether others wait. */
    private boolean give(LockFile lock, int next) {
        boolean given = false;
        boolean others;
        synchronized (WAITERS) {
            while (!given && !callers.isEmpty()) {
                given = callers.remove().complete(lock);
            }
            callers.removeIf(CompletableFuture::isDone);
            others = !callers.isEmpty() && next >= 0;
            if (!others) {
                WAITERS.remove(wanted);
            }
        }
        if (!given) {
            lock.close();
        }
        if (!others && next < 0) {
            fail(new SystemCallException("open", path.toString(), -next));
        }
        return others;
    }

    private void fail(SystemCallException failure) {
        synchronized (WAITERS) {
            WAITERS.remove(wanted, this);
            callers.forEach(caller -> caller.completeExceptionally(failure));
        }
    }

    private static Object key(int fd) {
        try {
            return key(Path.of("/proc/self/fd", Integer.toString(fd)));
        } catch (IOException e) {
            throw new IllegalStateException("an open file has no attributes", e);
        }
    }

    /** Returns what tells a file from all others of the host. */
    static Object key(Path path) throws IOException {
        return Objects.requireNonNull(
                Files.readAttributes(path, BasicFileAttributes.class).fileKey(), "Linux has inodes");
    }
}
