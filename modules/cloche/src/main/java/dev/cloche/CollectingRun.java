package dev.cloche;

import dev.cloche.base.ClocheException;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/** Reads a command's outputs to their end, or kills it when one of them has more than is kept. For one command. */
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
        CompletableFuture<byte[]> stdout = CompletableFuture.supplyAsync(() -> beginning(execution.stdout()), VIRTUAL);
        CompletableFuture<byte[]> stderr = CompletableFuture.supplyAsync(() -> beginning(execution.stderr()), VIRTUAL);
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
        try {
            return new ExecResult(exit, stdout.join(), stderr.join(), timedOut, truncated);
        } catch (CompletionException e) {
            if (e.getCause() instanceof ClocheException refused) {
                throw refused;
            }
            throw e;
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
