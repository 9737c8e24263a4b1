package dev.cloche.execution;

import dev.cloche.base.Deadline;
import dev.cloche.linux.FileSignal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Wakes the reader of an output when there may be more of it, and when there will be no more. For one reader. */
final class LogWatch implements AutoCloseable {
    /** Only for what the kernel should drop: all that is written is told of, and so is the end. */
    private static final Duration LOOK_ANYWAY = Duration.ofSeconds(15);

    private final FileSignal changes;
    private final Thread waiter;
    private volatile boolean over;
    private volatile Optional<RuntimeException> failure = Optional.empty();

    private LogWatch(FileSignal changes, Runnable end) {
        this.changes = changes;
        this.waiter = Thread.ofVirtual().name("cloche-output-end").unstarted(() -> awaitEnd(end));
    }

    /**
     * Opens a watch. What comes from the return of this call on is not missed.
     *
     * @param directory of the output
     * @param end returns when nothing more will be written; interrupted when that is of no interest any more
     */
    static LogWatch open(Path directory, Runnable end) throws IOException {
        // It may not have been driven yet.
        Files.createDirectories(directory);
        LogWatch watch = new LogWatch(FileSignal.listen(directory), end);
        watch.waiter.start();
        return watch;
    }

    private void awaitEnd(Runnable end) {
        try {
            end.run();
        } catch (RuntimeException unknown) {
            failure = Optional.of(unknown);
        }
        over = true;
        changes.close();
    }

    /**
     * Returns whether nothing more will be written; what was, is there to be read.
     *
     * @throws RuntimeException if that cannot be found out
     */
    boolean over() {
        boolean ended = over;
        failure.ifPresent(unknown -> {
            throw unknown;
        });
        return ended;
    }

    /** Waits until there may be something to read, it is over, or the deadline has passed. */
    void await(Deadline deadline) throws InterruptedException {
        var _ = changes.await(deadline.orAfter(LOOK_ANYWAY));
    }

    @Override
    public void close() {
        waiter.interrupt();
        changes.close();
    }
}
