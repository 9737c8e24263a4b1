package dev.cloche.machine;

import dev.cloche.base.Deadline;
import dev.cloche.linux.LockFile;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A lock on a file among the threads of all processes, to be closed by the thread that took it. Threads of one process
 * wait for each other in line; the kernel offers no wait that ends at a deadline, so other processes are asked repeatedly.
 */
final class HeldLock implements AutoCloseable {
    private static final ConcurrentHashMap<Path, ReentrantLock> WITHIN_PROCESS = new ConcurrentHashMap<>();
    private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final ReentrantLock local;
    private final LockFile file;

    private HeldLock(ReentrantLock local, LockFile file) {
        this.local = local;
        this.file = file;
    }

    /**
     * Waits for the lock.
     *
     * @return empty if the deadline passed first
     * @throws MachineException.Interrupted if the thread is interrupted
     */
    static Optional<HeldLock> take(Path path, Deadline deadline) {
        ReentrantLock local = WITHIN_PROCESS.computeIfAbsent(path.toAbsolutePath(), _ -> new ReentrantLock(true));
        if (local.isHeldByCurrentThread()) {
            throw new IllegalStateException("this thread holds the lock already: " + path);
        }
        try {
            if (!local.tryLock(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
                return Optional.empty();
            }
        } catch (InterruptedException e) {
            throw interrupted();
        }
        boolean taken = false;
        try {
            Optional<LockFile> file = waitFor(path, deadline);
            taken = file.isPresent();
            return file.map(held -> new HeldLock(local, held));
        } finally {
            if (!taken) {
                local.unlock();
            }
        }
    }

    private static Optional<LockFile> waitFor(Path path, Deadline deadline) {
        long pause = SHORTEST_PAUSE_NANOS;
        Optional<LockFile> file = tryLock(path);
        while (file.isEmpty() && !deadline.passed()) {
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(pause / 2, pause + 1));
            if (Thread.currentThread().isInterrupted()) {
                throw interrupted();
            }
            pause = Math.min(pause * 2, LONGEST_PAUSE_NANOS);
            file = tryLock(path);
        }
        return file;
    }

    /** A file that its last holder has deleted meanwhile excludes nobody. */
    private static Optional<LockFile> tryLock(Path path) {
        Optional<LockFile> file = LockFile.tryLock(path);
        while (file.isPresent() && !file.get().isOf(path)) {
            file.get().close();
            file = LockFile.tryLock(path);
        }
        return file;
    }

    private static MachineException interrupted() {
        Thread.currentThread().interrupt();
        return new MachineException.Interrupted("waiting for others who work on machines");
    }

    @Override
    public void close() {
        try {
            file.close();
        } finally {
            local.unlock();
        }
    }
}
