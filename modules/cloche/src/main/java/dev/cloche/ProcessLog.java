package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.execution.ExecutionLog;
import dev.cloche.execution.ExecutionOutput;
import dev.cloche.vm.OutputLogEntry;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * What a {@linkplain DurableCommand durable command} wrote, as far as a program of this host has brought it here: its latest 32
 * to 64 MiB, until the process is pruned. For one thread at a time.
 *
 * <pre>{@code
 * try (ProcessLog log = cloche.processes().log(id)) {
 *     for (Optional<OutputLogEntry> entry = log.next(); entry.isPresent(); entry = log.next()) {
 *         System.out.print(UTF_8.decode(entry.get().bytes()));
 *     }
 * }
 * }</pre>
 */
public final class ProcessLog implements AutoCloseable {
    private final ExecutionLog log;
    private final BooleanSupplier running;

    /** @param running whether the process runs; throws if no program drives it */
    ProcessLog(ExecutionLog log, BooleanSupplier running) {
        this.log = log;
        this.running = running;
    }

    /** Returns the next piece that is there already; empty where the output ends at present. */
    public Optional<OutputLogEntry> next() {
        return log.next().map(ProcessLog::entry);
    }

    /**
     * Returns the next piece, waiting for it while the process runs; empty once it has ended and all was read, or the time is
     * over.
     *
     * @param longest how long to wait
     * @throws dev.cloche.process.ProcessException.Undriven if nothing is there and no program drives the command, as {@link
     *     Processes#await} does
     * @throws InterruptedException if this thread is interrupted
     */
    public Optional<OutputLogEntry> await(Duration longest) throws InterruptedException {
        Deadline deadline = Deadline.after(longest);
        Optional<ExecutionOutput> piece = log.next();
        boolean runs = true;
        while (piece.isEmpty() && runs && !deadline.passed()) {
            // Asked before the wait, so that what was written before the end is not missed.
            runs = running.getAsBoolean();
            piece = log.await(runs ? deadline.orAfter(ProcessRoom.Drivers.LOOK) : deadline);
        }
        return piece.map(ProcessLog::entry);
    }

    @Override
    public void close() {
        log.close();
    }

    private static OutputLogEntry entry(ExecutionOutput piece) {
        return new OutputLogEntry(piece.error(), piece.at(), piece.missing(), piece.bytes());
    }
}
