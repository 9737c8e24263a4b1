package dev.cloche.cli.option;

import dev.cloche.cli.terminal.BrokenPipe;
import dev.cloche.cli.terminal.ByteSize;
import dev.cloche.cli.terminal.LogLine;
import dev.cloche.cli.terminal.LogLines;
import dev.cloche.cli.terminal.LogPrinter;
import dev.cloche.cli.terminal.OutputLost;
import dev.cloche.cli.terminal.UsageError;
import dev.cloche.vm.OutputLogEntry;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options by which logs are printed, and the printing. */
public final class LogOptions {
    /** The limit for following a log: in practice none. */
    public static final Duration FOR_EVER = Duration.ofDays(3650);

    /** Pieces of a log, one after the other; empty where there is none. */
    @FunctionalInterface
    public interface Pieces {
        Optional<OutputLogEntry> next() throws InterruptedException;
    }

    @Option(
            names = {"-f", "--follow"},
            description = "Go on until the command has ended.")
    private boolean follow;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description = "Only what was written since then, for example 10m or 2026-01-31T08:00:00Z.",
            converter = PointInTime.class)
    private Instant since = Instant.MIN;

    @Option(
            names = {"-n", "--tail"},
            paramLabel = "N",
            description = "Only the last N lines of what is there already.")
    private @Nullable Integer tail;

    @Option(
            names = {"-t", "--timestamps"},
            description = "Begin each line with its time, by the guest's clock.")
    private boolean timestamps;

    @Mixin
    private FormatOption format = new FormatOption();

    /**
     * Checks that they fit each other.
     *
     * @throws UsageError if they contradict themselves
     */
    public void check() {
        if (tail != null && tail < 0) {
            throw new UsageError("--tail " + tail + " is no number of lines.", "Give 0 or more.");
        }
    }

    public boolean follow() {
        return follow;
    }

    /**
     * Prints the part of a log that the options ask for; the reader of the output may leave early.
     *
     * @param present what is there already
     * @param following what comes, waited for
     */
    public void print(Pieces present, Pieces following) throws InterruptedException {
        try {
            LogPrinter printer = new LogPrinter(timestamps, format.json());
            printPresent(present, printer);
            if (follow) {
                follow(following, printer);
            }
        } catch (IOException failed) {
            if (!BrokenPipe.is(failed)) {
                throw new OutputLost(failed);
            }
        }
    }

    /** Prints what is there already, as far as it is wanted. */
    private void printPresent(Pieces log, LogPrinter printer) throws IOException, InterruptedException {
        Deque<LogLine> lines = new ArrayDeque<>();
        LogLines assembled = new LogLines(lines::addLast);
        for (Optional<OutputLogEntry> entry = log.next(); entry.isPresent(); entry = log.next()) {
            warnOfGap(entry.get());
            assembled.add(entry.get());
            choose(lines, printer);
        }
        assembled.flush();
        choose(lines, printer);
        printer.print(lines);
    }

    /** Prints what is certain to be wanted, drops what is not, and leaves what may become either. */
    private void choose(Deque<LogLine> lines, LogPrinter printer) throws IOException {
        lines.removeIf(line -> line.time().isBefore(since));
        if (tail == null) {
            printer.print(lines);
            lines.clear();
        } else {
            while (lines.size() > tail) {
                lines.removeFirst();
            }
        }
    }

    private static void follow(Pieces log, LogPrinter printer) throws IOException, InterruptedException {
        Deque<LogLine> lines = new ArrayDeque<>();
        LogLines assembled = new LogLines(lines::addLast);
        for (Optional<OutputLogEntry> entry = log.next(); entry.isPresent(); entry = log.next()) {
            warnOfGap(entry.get());
            assembled.add(entry.get());
            // A reader that follows wants to see a line that is still being written, too.
            assembled.flush();
            printer.print(lines);
            lines.clear();
        }
    }

    private static void warnOfGap(OutputLogEntry entry) {
        if (entry.missing() > 0) {
            System.err.println("cloche: " + ByteSize.of(entry.missing()) + " of the standard "
                    + (entry.error() ? "error" : "output") + " before this are not kept any more.");
        }
    }
}
