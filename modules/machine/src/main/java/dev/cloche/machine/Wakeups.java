package dev.cloche.machine;

import dev.cloche.base.Deadline;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Wakes one who waits for something of machines. Whatever changes of one ends with a line in the log of events, which the
 * kernel tells all processes of that watch its directory (inotify); what is in no log is told by {@link #wake}.
 *
 * <p>Wakeups from before a wait count, and many are as one: so who looks, waits and looks again misses nothing.
 */
final class Wakeups implements AutoCloseable {
    private final WatchService watch;
    private final Semaphore woken = new Semaphore(0);

    private Wakeups(WatchService watch) {
        this.watch = watch;
    }

    /**
     * Begins to listen.
     *
     * @param base the directory of machines, which exists
     * @throws MachineException.Storage if it cannot be watched
     */
    static Wakeups of(Path base) {
        try {
            WatchService watch = base.getFileSystem().newWatchService();
            try {
                var _ = base.register(
                        watch, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_MODIFY);
            } catch (IOException e) {
                watch.close();
                throw e;
            }
            Wakeups wakeups = new Wakeups(watch);
            Thread.ofVirtual().name("machine-events").start(wakeups::listen);
            return wakeups;
        } catch (IOException e) {
            throw new MachineException.Storage(
                    "The directory " + base + " cannot be watched: " + e.getMessage() + ".", e);
        }
    }

    private void listen() {
        try {
            while (true) {
                WatchKey changed = watch.take();
                // Ready again before anybody looks, so that what happens during the look wakes too.
                changed.pollEvents();
                changed.reset();
                wake();
            }
        } catch (ClosedWatchServiceException | InterruptedException end) {
            // Closed.
        }
    }

    /** From any thread. */
    void wake() {
        woken.release();
    }

    /** Returns when something has happened since the last return, or the deadline has passed. */
    void await(Deadline deadline) throws InterruptedException {
        if (woken.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
            woken.drainPermits();
        }
    }

    @Override
    public void close() {
        try {
            watch.close();
        } catch (IOException e) {
            // Nobody hears of it any more in any case.
            System.getLogger(Wakeups.class.getName()).log(System.Logger.Level.DEBUG, "a watch is not closed", e);
        }
    }
}
