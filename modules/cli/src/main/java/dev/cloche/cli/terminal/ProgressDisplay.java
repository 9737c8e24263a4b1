package dev.cloche.cli.terminal;

import dev.cloche.image.Digest;
import dev.cloche.image.PullEvent;
import dev.cloche.image.PullListener;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The progress of a pull on standard error: a bar for each layer on a terminal, a line for each finished layer
 * elsewhere. Safe for use from several threads.
 */
public abstract sealed class ProgressDisplay implements PullListener, AutoCloseable {
    private static final int SHORT_DIGEST = 12;

    /** Returns the display that fits where standard error leads. */
    public static ProgressDisplay forTerminal(boolean quiet) {
        if (quiet) {
            return new Silent();
        }
        return errIsTerminal() ? new Bars(System.err) : new Lines(System.err);
    }

    /** Ends the display; further events are ignored. */
    @Override
    public abstract void close();

    /**
     * Returns whether standard error is a terminal. isatty(3) would be a native call, whose first one costs more than the rest
     * of a short command.
     */
    public static boolean errIsTerminal() {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException noProc) {
            return false;
        }
    }

    private static String shortened(Digest layer) {
        return layer.hex().substring(0, SHORT_DIGEST);
    }

    private static final class Silent extends ProgressDisplay {
        /** Prints warnings: silence is for progress alone. */
        @Override
        public void on(PullEvent event) {
            if (event instanceof PullEvent.Warning(String text)) {
                System.err.println("warning: " + text);
            }
        }

        @Override
        public void close() {}
    }

    /** Prints one line for each layer that has arrived. */
    static final class Lines extends ProgressDisplay {
        private final PrintStream err;
        private final Map<Digest, Long> bytes = new HashMap<>();

        Lines(PrintStream err) {
            this.err = err;
        }

        /** Leaves the steps of a layer out: a log has no use for them. */
        @Override
        public synchronized void on(PullEvent event) {
            switch (event) {
                case PullEvent.Progress step -> bytes.put(step.layer(), step.bytes());
                case PullEvent.LayerReady(Digest layer, boolean reused) ->
                    err.println("layer " + shortened(layer) + ": "
                            + (reused ? "already here" : "pulled, " + ByteSize.of(bytes.getOrDefault(layer, 0L))));
                case PullEvent.Warning(String text) -> err.println("warning: " + text);
                case PullEvent.Resolved _ -> {}
            }
        }

        @Override
        public void close() {}
    }

    /** A bar for each layer, drawn again in place. */
    static final class Bars extends ProgressDisplay {
        private static final int WIDTH = 30;
        private static final long REDRAW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

        private enum Phase {
            PULLING,
            PULLED,
            REUSED
        }

        private record State(Phase phase, long doneBytes, long totalBytes) {}

        private final PrintStream err;
        private final Map<Digest, State> layers = new LinkedHashMap<>();
        private int drawnLines;
        private long drawnAt;
        private boolean closed;

        Bars(PrintStream err) {
            this.err = err;
        }

        @Override
        public synchronized void on(PullEvent event) {
            switch (event) {
                case PullEvent.Progress(Digest layer, long bytes, long totalBytes) ->
                    show(layer, new State(Phase.PULLING, bytes, totalBytes));
                case PullEvent.LayerReady(Digest layer, boolean reused) -> {
                    State last = layers.getOrDefault(layer, new State(Phase.PULLING, 0, 0));
                    show(layer, new State(reused ? Phase.REUSED : Phase.PULLED, last.doneBytes(), last.totalBytes()));
                }
                // Warnings come before the first bar.
                case PullEvent.Warning(String text) -> err.println("warning: " + text);
                case PullEvent.Resolved _ -> {}
            }
        }

        private void show(Digest layer, State state) {
            layers.put(layer, state);
            boolean drawnJustNow = state.phase() == Phase.PULLING && System.nanoTime() - drawnAt < REDRAW_NANOS;
            if (!closed && !drawnJustNow) {
                draw();
            }
        }

        @Override
        public synchronized void close() {
            if (!closed && !layers.isEmpty()) {
                draw();
            }
            closed = true;
        }

        private void draw() {
            StringBuilder text = new StringBuilder();
            if (drawnLines > 0) {
                text.append("\u001b[").append(drawnLines).append('A');
            }
            layers.forEach((layer, state) -> text.append("\u001b[2K")
                    .append(shortened(layer))
                    .append("  ")
                    .append(line(state))
                    .append('\n'));
            err.print(text);
            err.flush();
            drawnLines = layers.size();
            drawnAt = System.nanoTime();
        }

        private static String line(State state) {
            return switch (state.phase()) {
                case REUSED -> "already here";
                case PULLED -> bar(WIDTH) + "  " + ByteSize.of(state.doneBytes());
                case PULLING -> {
                    if (state.totalBytes() <= 0) {
                        yield ByteSize.of(state.doneBytes());
                    }
                    long filled = Math.min(WIDTH, state.doneBytes() * WIDTH / state.totalBytes());
                    yield bar((int) filled) + "  " + ByteSize.of(state.doneBytes()) + " of "
                            + ByteSize.of(state.totalBytes());
                }
            };
        }

        private static String bar(int filled) {
            return "[" + "=".repeat(filled) + " ".repeat(WIDTH - filled) + "]";
        }
    }
}
