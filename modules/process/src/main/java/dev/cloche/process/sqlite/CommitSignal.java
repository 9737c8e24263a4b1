package dev.cloche.process.sqlite;

import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.linux.FileSignal;
import dev.cloche.process.ProcessException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Signals commits to other programs: sets the times of a file after each one, so that programs that watch it look at the
 * database then. The database itself will not do: its log changes before a commit can be seen. The file has a directory of
 * its own, for directories are what can be watched. What it holds means nothing, and is never forced to the disk.
 *
 * <p>Rings of one program reach itself too, and rings that come at once become one. Safe for use from many threads.
 */
public final class CommitSignal implements AutoCloseable {
    /** Only for what the kernel should drop, or file systems that do not tell of what other hosts write. */
    private static final Duration SAFETY_NET = Duration.ofSeconds(15);

    private final Path directory;
    private final Path bell;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable FileSignal rings;
    private volatile boolean closed;

    private CommitSignal(Path directory, Path bell) {
        this.directory = directory;
        this.bell = bell;
    }

    /**
     * Makes or finds the doorbell of a directory.
     *
     * @throws ProcessException.StoreFailed if it cannot be made
     */
    public static CommitSignal at(Path directory) {
        try {
            DurableFiles.ensureDirectory(directory);
            Path bell = directory.resolve("processes");
            if (!Files.exists(bell)) {
                Files.write(bell, new byte[0]);
            }
            return new CommitSignal(directory, bell);
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
     * Tells all programs that watch that there is something new. What is new is committed already; if it cannot be told,
     * they find it by their safety net.
     */
    public void ring() {
        if (closed) {
            return;
        }
        try {
            FileSignal.give(bell);
        } catch (IOException e) {
            System.getLogger(CommitSignal.class.getName())
                    .log(System.Logger.Level.WARNING, "the doorbell in " + directory + " cannot be rung", e);
        }
    }

    /**
     * Watches for rings: from the return of this call on, what is answered is run after each. Once begun it goes on until this
     * is closed; then the call does nothing.
     *
     * @param answer makes what is run, by one thread; it is asked when the watch has begun
     * @throws ProcessException.StoreFailed if the directory cannot be watched
     */
    public void watch(Supplier<Runnable> answer) {
        lock.lock();
        try {
            if (rings != null || closed) {
                return;
            }
            FileSignal listening = FileSignal.listen(directory);
            try {
                Runnable look = answer.get();
                Thread.ofPlatform().daemon().name("cloche-doorbell").start(() -> answer(listening, look));
            } catch (Throwable failure) {
                listening.close();
                throw failure;
            }
            rings = listening;
        } catch (IOException e) {
            throw failed(directory, e);
        } finally {
            lock.unlock();
        }
    }

    private static void answer(FileSignal rings, Runnable look) {
        try {
            while (true) {
                var _ = rings.await(Deadline.after(SAFETY_NET));
                if (rings.isClosed()) {
                    return;
                }
                look.run();
            }
        } catch (InterruptedException end) {
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
            if (rings != null) {
                rings.close();
            }
        } finally {
            lock.unlock();
        }
    }
}
