package dev.cloche.linux;

import dev.cloche.base.ReusedThreads;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A process held by a pidfd: signals reach this very process or none, even if its pid has been given to another. Safe for
 * use from several threads.
 */
public final class PinnedProcess implements AutoCloseable {
    private static final int EFD_CLOEXEC = 0x80000;
    private static final int NONE = -1;

    private final Libc libc;
    private final ProcessIdentity identity;
    private final int pidfd;
    private final ReentrantLock lock = new ReentrantLock();
    private boolean closed;
    private @Nullable CompletableFuture<Void> ended;
    private int wakeup = NONE;
    private int users = 1;

    private PinnedProcess(Libc libc, ProcessIdentity identity, int pidfd) {
        this.libc = libc;
        this.identity = identity;
        this.pidfd = pidfd;
    }

    /**
     * Pins a process; empty if it has ended and been reaped, also if its pid belongs to another one now.
     *
     * @throws SystemCallException if the kernel refuses for another reason
     */
    public static Optional<PinnedProcess> open(ProcessIdentity identity) {
        return open(LibcHolder.libc(), identity);
    }

    static Optional<PinnedProcess> open(Libc libc, ProcessIdentity identity) {
        int pidfd = libc.pidfdOpen(Math.toIntExact(identity.pid()), 0);
        if (pidfd == -Errno.ESRCH) {
            return Optional.empty();
        }
        if (pidfd < 0) {
            throw new SystemCallException("pidfd_open", "process " + identity.pid(), -pidfd);
        }
        PinnedProcess pinned = new PinnedProcess(libc, identity, pidfd);
        // Asked after pinning: if the pid was reused before it, the start time seen here is the other process's.
        if (ProcessIdentity.of(identity.pid()).filter(identity::equals).isEmpty()) {
            pinned.close();
            return Optional.empty();
        }
        return Optional.of(pinned);
    }

    /**
     * Sends a signal.
     *
     * @return false if the process has ended
     * @throws SystemCallException if the kernel refuses, for example for want of permission
     */
    public boolean signal(int signal) {
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("closed");
            }
            int result = libc.pidfdSendSignal(pidfd, signal);
            if (result == 0) {
                return true;
            }
            if (result == -Errno.ESRCH) {
                return false;
            }
            throw new SystemCallException("pidfd_send_signal", "process " + identity.pid(), -result);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Completes when the process has ended, and is cancelled when this object is closed before. One thread waits in the
     * kernel for it, however often this is asked for.
     */
    public CompletableFuture<Void> onEnd() {
        lock.lock();
        try {
            if (closed) {
                return CompletableFuture.failedFuture(new IllegalStateException("closed"));
            }
            if (ended == null) {
                wakeup = libc.eventfd(0, EFD_CLOEXEC);
                if (wakeup < 0) {
                    throw new SystemCallException("eventfd", "a watch", -wakeup);
                }
                CompletableFuture<Void> future = new CompletableFuture<>();
                ended = future;
                users++;
                ReusedThreads.start("cloche-watch-" + identity.pid(), () -> watch(future));
            }
            return ended.copy();
        } finally {
            lock.unlock();
        }
    }

    private void watch(CompletableFuture<Void> future) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment fds = arena.allocate(2 * PollFd.SIZE, 8);
            int result;
            do {
                PollFd.set(fds, 0, pidfd);
                PollFd.set(fds, 1, wakeup);
                result = libc.poll(fds, 2, -1);
            } while (result == -Errno.EINTR);
            if (result < 0) {
                throw new SystemCallException("poll", "process " + identity.pid(), -result);
            }
            if (PollFd.ready(fds, 0)) {
                future.complete(null);
            }
        } catch (RuntimeException e) {
            future.completeExceptionally(e);
        } finally {
            future.cancel(false);
            lock.lock();
            try {
                release();
            } finally {
                lock.unlock();
            }
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            if (wakeup >= 0) {
                wakeUp();
            }
            release();
        } finally {
            lock.unlock();
        }
    }

    private void wakeUp() {
        try (Arena arena = Arena.ofConfined()) {
            libc.write(wakeup, arena.allocateFrom(ValueLayout.JAVA_LONG, 1));
        }
    }

    /** The last of owner and watch closes: a descriptor that is closed under a waiting poll may be another file's by then. */
    private void release() {
        users--;
        if (users == 0) {
            libc.close(pidfd);
            if (wakeup >= 0) {
                libc.close(wakeup);
            }
        }
    }
}
