package dev.cloche.execution;

import dev.cloche.base.Deadline;
import dev.cloche.process.EventAppend;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.Output;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Brings both outputs of an execution to the journal, and tells the guest what it may forget once it is safe there. Now and
 * then it has the registry told how far that is.
 */
final class OutputPump {
    private static final int PIECE = 256 << 10;
    private static final Duration CHECKPOINT = Duration.ofSeconds(5);

    private final GuestExecution execution;
    private final OutputJournal journal;
    private final Consumer<EventAppend> checkpoints;
    private final AtomicLong nextCheckpoint = new AtomicLong(System.nanoTime());

    OutputPump(GuestExecution execution, OutputJournal journal, Consumer<EventAppend> checkpoints) {
        this.execution = execution;
        this.journal = journal;
        this.checkpoints = checkpoints;
    }

    /** Returns how the execution ended, when all of its output is safe. */
    ExitStatus run() throws IOException, InterruptedException {
        try (ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> errors = readers.submit(() -> pump(execution.stderr(), Output.STDERR));
            try {
                Future<?> output = readers.submit(() -> pump(execution.stdout(), Output.STDOUT));
                output.get();
                errors.get();
            } catch (InterruptedException | ExecutionException e) {
                // Ends the reads of both.
                execution.close();
                readers.shutdownNow();
                throw e;
            }
            return execution.await(Deadline.none());
        } catch (ExecutionException e) {
            throw unwrapped(e);
        }
    }

    private static IOException unwrapped(ExecutionException e) {
        return switch (e.getCause()) {
            case IOException io -> io;
            case RuntimeException runtime -> throw runtime;
            case Error error -> throw error;
            case null, default -> throw new IllegalStateException(e);
        };
    }

    private Void pump(InputStream from, Output output) throws IOException {
        byte[] piece = new byte[PIECE];
        while (true) {
            int count;
            try {
                count = from.read(piece);
            } catch (GuestException.OutputGap gap) {
                // The next piece begins behind it, which the journal's offsets tell.
                continue;
            }
            if (count < 0) {
                return null;
            }
            long end = execution.offset(output);
            journal.append(output, end - count, ByteBuffer.wrap(piece, 0, count));
            journal.sync();
            execution.acknowledge(output, end);
            checkpoint();
        }
    }

    private void checkpoint() {
        long now = System.nanoTime();
        long due = nextCheckpoint.get();
        if (now - due >= 0 && nextCheckpoint.compareAndSet(due, now + CHECKPOINT.toNanos())) {
            checkpoints.accept(ExecutionProgress.output(journal.end(Output.STDOUT), journal.end(Output.STDERR)));
        }
    }
}
