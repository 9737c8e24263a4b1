package dev.cloche.execution;

import dev.cloche.base.Deadline;
import dev.cloche.vm.Output;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads what an execution wrote, as far as it is on this host's disk. Any number of readers may read while it is written.
 * For one thread at a time.
 */
public final class ExecutionLog implements AutoCloseable {
    /** Describes a file, and what tells it from the one that gets its name next. */
    private record Segment(FileChannel file, Object key) {}

    private final Path directory;
    private final Runnable end;
    private @Nullable LogWatch watch;
    private Optional<Segment> current = Optional.empty();
    private long stdout;
    private long stderr;

    /** @param end returns when nothing more will be written, or is interrupted */
    ExecutionLog(Path directory, Runnable end) {
        this.directory = directory;
        this.end = end;
    }

    /**
     * Returns the next piece that is there; empty where the output ends at present.
     *
     * @throws DurableExecutionException.OutputUnusable if the files cannot be read
     */
    public Optional<ExecutionOutput> next() {
        try {
            while (true) {
                Optional<OutputRecord> record = read();
                if (record.isEmpty()) {
                    Optional<Segment> newer = newer();
                    if (newer.isEmpty()) {
                        return Optional.empty();
                    }
                    // Once more, for what came between the look and the turn.
                    record = read();
                    if (record.isEmpty()) {
                        turn(newer.get());
                    }
                }
                Optional<ExecutionOutput> fresh = record.flatMap(this::fresh);
                if (fresh.isPresent()) {
                    return fresh;
                }
            }
        } catch (IOException e) {
            throw new DurableExecutionException.OutputUnusable(directory, e);
        }
    }

    /**
     * Returns the next piece, waiting for it; empty once the process has ended and all was read, or the deadline has passed.
     *
     * @throws DurableExecutionException.OutputUnusable if the files cannot be read
     * @throws dev.cloche.process.ProcessException if the registry cannot be asked
     * @throws InterruptedException if this thread is interrupted
     */
    public Optional<ExecutionOutput> await(Deadline deadline) throws InterruptedException {
        Optional<ExecutionOutput> found = next();
        if (found.isPresent() || deadline.passed()) {
            return found;
        }
        LogWatch awake = watch();
        while (true) {
            // Asked before the look, so that what was written before the end is not missed.
            boolean last = awake.over() || deadline.passed();
            found = next();
            if (found.isPresent() || last) {
                return found;
            }
            awake.await(deadline);
        }
    }

    private LogWatch watch() {
        LogWatch open = watch;
        if (open == null) {
            try {
                open = LogWatch.open(directory, end);
            } catch (IOException e) {
                throw new DurableExecutionException.OutputUnusable(directory, e);
            }
            watch = open;
        }
        return open;
    }

    /** A record that is not whole yet is read again from its beginning. */
    private Optional<OutputRecord> read() throws IOException {
        if (current.isEmpty()) {
            return Optional.empty();
        }
        FileChannel file = current.get().file();
        long begin = file.position();
        // Not closed: it would close the file.
        InputStream in = new BufferedInputStream(Channels.newInputStream(file));
        Optional<OutputRecord> record = OutputRecord.next(in);
        file.position(begin + record.map(OutputRecord::length).orElse(0L));
        return record;
    }

    /** Returns the segment to go on with: first the older one, then the newest. */
    private Optional<Segment> newer() throws IOException {
        Optional<Segment> older = current.isEmpty() ? open(OutputRecord.older(directory)) : Optional.empty();
        return older.isPresent() ? older : open(OutputRecord.newest(directory));
    }

    private Optional<Segment> open(Path path) throws IOException {
        FileChannel file;
        try {
            file = FileChannel.open(path);
        } catch (NoSuchFileException nothingYet) {
            return Optional.empty();
        }
        Object key = Files.getAttribute(path, "unix:ino");
        if (current.filter(segment -> segment.key().equals(key)).isPresent()) {
            file.close();
            return Optional.empty();
        }
        return Optional.of(new Segment(file, key));
    }

    private void turn(Segment next) {
        closeCurrent();
        current = Optional.of(next);
    }

    private Optional<ExecutionOutput> fresh(OutputRecord record) {
        boolean error = record.output() == Output.STDERR;
        long known = error ? stderr : stdout;
        if (record.end() <= known) {
            return Optional.empty();
        }
        if (error) {
            stderr = record.end();
        } else {
            stdout = record.end();
        }
        return Optional.of(new ExecutionOutput(error, record.at(), record.offset() - known, record.bytes()));
    }

    @Override
    public void close() {
        if (watch != null) {
            watch.close();
        }
        closeCurrent();
    }

    private void closeCurrent() {
        try {
            if (current.isPresent()) {
                current.get().file().close();
            }
        } catch (IOException nothingWasWritten) {
            // Then nothing is lost.
        }
        current = Optional.empty();
    }
}
