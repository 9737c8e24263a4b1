package dev.cloche;

import dev.cloche.base.ClocheException;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.Output;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;

/**
 * Reads a command's outputs to their end, or kills it when one of them has more than is kept. For one command.
 *
 * <p>Most commands write little. It waits on this side until they have ended, and is read then by the thread that waits for that: an
 * output has a thread of its own only once it has more. At the end of a short command each thread that is woken would be seen.
 */
final class CollectingRun {
    private static final Executor VIRTUAL = task -> Thread.ofVirtual().start(task);

    private final Execution execution;
    private final int limit;
    private volatile boolean truncated;

    /** @param limit how many bytes are kept of each output */
    CollectingRun(Execution execution, int limit) {
        this.execution = execution;
        this.limit = limit;
    }

    ExecResult of(byte[] input) {
        FutureTask<byte[]> stdout = collecting(Output.STDOUT, execution.stdout());
        FutureTask<byte[]> stderr = collecting(Output.STDERR, execution.stderr());
        if (input.length > 0) {
            VIRTUAL.execute(() -> feed(input));
        }
        boolean timedOut = false;
        ExitStatus exit;
        try {
            exit = execution.await();
        } catch (CommandException.TimedOut killed) {
            timedOut = true;
            exit = execution.endAfterKill(killed);
        }
        return new ExecResult(exit, all(stdout), all(stderr), timedOut, truncated);
    }

    private FutureTask<byte[]> collecting(Output output, InputStream stream) {
        FutureTask<byte[]> collected = new FutureTask<>(() -> beginning(stream));
        execution.whenUnread(output, Math.min(limit, GuestExecution.MOST_UNREAD), () -> VIRTUAL.execute(collected));
        return collected;
    }

    /** Returns all of an output whose command has ended. */
    private static byte[] all(FutureTask<byte[]> collected) {
        // Unless a thread has begun with it.
        collected.run();
        try {
            return collected.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ClocheException refused) {
                throw refused;
            }
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new VmException.Interrupted("reading what a command has written");
        }
    }

    private byte[] beginning(InputStream output) {
        try {
            byte[] kept = output.readNBytes(limit);
            if (output.read() >= 0) {
                truncated = true;
                kill();
                // The end of a command is told behind the last byte of its output.
                output.transferTo(OutputStream.nullOutputStream());
            }
            return kept;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void kill() {
        try {
            execution.signal(Execution.SIGKILL);
        } catch (ClocheException endedMeanwhile) {
            // The wait for its end says what became of it.
        }
    }

    private void feed(byte[] input) {
        try (OutputStream stdin = execution.stdin()) {
            stdin.write(input);
        } catch (IOException | GuestException.ConnectionLost endedBeforeItReadAll) {
            // Its exit status says what is worth knowing.
        }
    }
}
