package dev.cloche.linux;

import dev.cloche.base.Deadline;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Listens for changes of the files of one directory, by any process of this host ({@code inotify(7)}): files that are made or
 * written, or whose times are set. A signal says that there may be something new, and not what. Signals that come between two
 * waits count as one, so a caller that looks, waits and looks again misses none. Safe for use from several threads, of which
 * one waits.
 */
public final class FileSignal implements AutoCloseable {
    private final WatchService watch;
    private final Semaphore signals = new Semaphore(0);
    private volatile boolean closed;

    private FileSignal(WatchService watch) {
        this.watch = watch;
    }

    /**
     * Begins to listen: every change after the return of this call is a signal.
     *
     * @param directory exists
     * @throws IOException if it cannot be watched, be it that this user watches too many
     */
    public static FileSignal listen(Path directory) throws IOException {
        WatchService watch = directory.getFileSystem().newWatchService();
        try {
            var _ = directory.register(
                    watch, StandardWatchEventKinds.ENTRY_CREATE, StandardWatchEventKinds.ENTRY_MODIFY);
        } catch (IOException e) {
            watch.close();
            throw e;
        }
        FileSignal signal = new FileSignal(watch);
        Thread.ofVirtual().name("file-signal").start(signal::forward);
        return signal;
    }

    /**
     * Gives a signal to all that listen to the directory of the file, by setting its times, which writes nothing to a disk.
     *
     * @throws IOException if there is no such file
     */
    public static void give(Path file) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
    }

    private void forward() {
        try {
            while (true) {
                WatchKey changed = watch.take();
                // Ready again before the caller looks, so that what happens during its look is a signal too.
                changed.pollEvents();
                changed.reset();
                wake();
            }
        } catch (ClosedWatchServiceException | InterruptedException end) {
            // Closed.
        }
    }

    /** Gives a signal to the one that waits here, without a file. */
    public void wake() {
        signals.release();
    }

    /**
     * Waits for a signal since the last one that was waited for.
     *
     * @return whether there was one; false if the deadline has passed before, or this is closed
     */
    public boolean await(Deadline deadline) throws InterruptedException {
        if (!signals.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
            return false;
        }
        signals.drainPermits();
        if (closed) {
            // For the next call.
            signals.release();
        }
        return !closed;
    }

    /** Returns whether this is closed. */
    public boolean isClosed() {
        return closed;
    }

    /** Ends the listening, and with it a wait that goes on. */
    @Override
    public void close() {
        closed = true;
        signals.release();
        try {
            watch.close();
        } catch (IOException e) {
            // It only ends what is over in any case.
            System.getLogger(FileSignal.class.getName()).log(System.Logger.Level.DEBUG, "a watch is not closed", e);
        }
    }
}
