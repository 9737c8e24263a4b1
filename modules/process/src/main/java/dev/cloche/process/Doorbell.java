package dev.cloche.process;

import dev.cloche.base.DurableFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A file that is written after each commit, so that other programs, which watch it (inotify), look at the database then.
 * The database itself will not do: its log changes before a commit can be seen. The file has a directory of its own, for
 * directories are what can be watched. What it holds means nothing, and nobody forces it to the disk.
 *
 * <p>Rings of one program reach itself too, and rings that come at once become one. Safe for use from many threads.
 */
final class Doorbell implements AutoCloseable {
    /** Only for what the kernel should drop, or file systems that do not tell of what other hosts write. */
    private static final long SAFETY_NET_SECONDS = 15;

    private final Path directory;
    private final RandomAccessFile bell;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable WatchService watching;
    private boolean closed;

    private Doorbell(Path directory, RandomAccessFile bell) {
        this.directory = directory;
        this.bell = bell;
    }

    /** @throws ProcessException.StoreFailed if it cannot be made */
    static Doorbell at(Path directory) {
        try {
            DurableFiles.ensureDirectory(directory);
            // Not a channel, which an interrupt would close.
            return new Doorbell(
                    directory,
                    new RandomAccessFile(directory.resolve("processes").toFile(), "rw"));
        } catch (IOException e) {
            throw failed(directory, e);
        }
    }

    private static ProcessException failed(Path directory, IOException cause) {
        return new ProcessException.StoreFailed(
                "the doorbell in " + directory + " cannot be used: " + cause.getMessage() + ".",
                "Check the owner and mode of that directory, and the limit of inotify watches.",
                cause);
    }

    /**
     * Tells all who watch that there is something new. What is new is committed, whatever happens here; if it cannot be
     * told, they find it by their safety net.
     */
    void ring() {
        lock.lock();
        try {
            if (!closed) {
                bell.seek(0);
                bell.write(1);
            }
        } catch (IOException e) {
            System.getLogger(Doorbell.class.getName())
                    .log(System.Logger.Level.WARNING, "the doorbell in " + directory + " cannot be rung", e);
        } finally {
            lock.unlock();
        }
    }

    /**
     * From the return of this call on, what is answered is run after each ring. Once begun it goes on until this is closed;
     * then the call does nothing.
     *
     * @param answer makes what is run, by one thread; it is asked when the watch has begun
     * @throws ProcessException.StoreFailed if the directory cannot be watched
     */
    void watch(Supplier<Runnable> answer) {
        lock.lock();
        try {
            if (watching != null || closed) {
                return;
            }
            WatchService service = directory.getFileSystem().newWatchService();
            try {
                directory.register(service, StandardWatchEventKinds.ENTRY_MODIFY);
                Runnable look = answer.get();
                Thread.ofPlatform().daemon().name("cloche-doorbell").start(() -> answer(service, look));
            } catch (Throwable failure) {
                service.close();
                throw failure;
            }
            watching = service;
        } catch (IOException e) {
            throw failed(directory, e);
        } finally {
            lock.unlock();
        }
    }

    private static void answer(WatchService service, Runnable look) {
        try {
            while (true) {
                WatchKey key = service.poll(SAFETY_NET_SECONDS, TimeUnit.SECONDS);
                if (key != null) {
                    // Ready again before the look, so that what comes during it is not lost.
                    key.pollEvents();
                    key.reset();
                }
                look.run();
            }
        } catch (ClosedWatchServiceException | InterruptedException end) {
            // Closed.
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
            if (watching != null) {
                watching.close();
            }
            bell.close();
        } catch (IOException e) {
            throw failed(directory, e);
        } finally {
            lock.unlock();
        }
    }
}
