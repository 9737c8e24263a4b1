package dev.cloche.image;

import dev.cloche.base.Deadline;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * An exclusive lock on one name of the cache, among the threads of all processes. To be closed by the thread that took
 * it.
 *
 * <p>The kernel's lock belongs to the process and is lost when any of its descriptors of the file is closed. So the lock
 * among threads is taken first, and only its owner ever has the file open. The file is never deleted: a lock on a name
 * that is gone excludes nobody.
 */
final class CacheLock implements AutoCloseable {
    private static final ConcurrentHashMap<Path, ReentrantLock> WITHIN_PROCESS = new ConcurrentHashMap<>();
    private static final long LONGEST_PAUSE_MILLIS = 50;

    private final ReentrantLock local;
    private final FileChannel channel;

    private CacheLock(ReentrantLock local, FileChannel channel) {
        this.local = local;
        this.channel = channel;
    }

    /**
     * Waits for the lock. The kernel offers no wait that ends at a deadline, so other processes are asked repeatedly.
     *
     * @return empty if the deadline passed first
     */
    static Optional<CacheLock> take(Path file, Deadline deadline) throws IOException, InterruptedException {
        ReentrantLock local = WITHIN_PROCESS.computeIfAbsent(file.toAbsolutePath(), _ -> new ReentrantLock());
        if (local.isHeldByCurrentThread()) {
            throw new IllegalStateException("this thread holds the lock already: " + file);
        }
        if (!local.tryLock() && !local.tryLock(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
            return Optional.empty();
        }
        FileChannel channel = null;
        boolean taken = false;
        try {
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            long pause = 1;
            FileLock lock = channel.tryLock();
            while (lock == null && !deadline.passed()) {
                TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextLong(1, pause + 1));
                pause = Math.min(pause * 2, LONGEST_PAUSE_MILLIS);
                lock = channel.tryLock();
            }
            if (lock == null) {
                return Optional.empty();
            }
            taken = true;
            return Optional.of(new CacheLock(local, channel));
        } finally {
            if (!taken) {
                if (channel != null) {
                    channel.close();
                }
                local.unlock();
            }
        }
    }

    /** Closes all of them, also if one of them fails. */
    static void closeAll(Collection<CacheLock> locks) throws IOException {
        IOException failure = null;
        for (CacheLock lock : locks) {
            try {
                lock.close();
            } catch (IOException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public void close() throws IOException {
        try {
            channel.close();
        } finally {
            local.unlock();
        }
    }
}
