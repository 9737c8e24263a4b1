package dev.cloche.cli.terminal;

import dev.cloche.PullProgress;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The progress of a pull on standard error: a bar for each layer on a terminal, a line for each finished layer
 * elsewhere. Safe for use from several threads.
 */
public abstract sealed class ProgressDisplay implements PullProgress, AutoCloseable {
    /** The display that fits where standard error leads. */
    public static ProgressDisplay forTerminal(boolean quiet) {
        if (quiet) {
            return new Silent();
        }
        return errIsTerminal() ? new Bars(System.err) : new Lines(System.err);
    }

    /** Ends the display; further events are ignored. */
    @Override
    public abstract void close();

    /** isatty(3) would be a native call, whose first one costs more than the rest of a short command. */
    public static boolean errIsTerminal() {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException noProc) {
            return false;
        }
    }

    private static final class Silent extends ProgressDisplay {
        /** Also that nothing happens, which silence would not tell from work. */
        @Override
        public void warning(String sentence) {
            System.err.println("warning: " + sentence);
        }

        @Override
        public void layer(String layer, Phase phase, long doneBytes, long totalBytes) {}

        @Override
        public void close() {}
    }

    /** Prints one line for each layer that has arrived. */
    static final class Lines extends ProgressDisplay {
        private final PrintStream err;

        Lines(PrintStream err) {
            this.err = err;
        }

        @Override
        public void warning(String sentence) {
            err.println("warning: " + sentence);
        }

        @Override
        public void layer(String layer, Phase phase, long doneBytes, long totalBytes) {
            switch (phase) {
                case DONE -> err.println("layer " + layer + ": pulled, " + ByteSize.of(doneBytes));
                case PRESENT -> err.println("layer " + layer + ": already here");
                case PULLING -> {
                    // A log has no use for each step.
                }
            }
        }

        @Override
        public void close() {}
    }

    /** A bar for each layer, drawn again in place. */
    static final class Bars extends ProgressDisplay {
        private static final int WIDTH = 30;
        private static final long REDRAW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

        private record State(Phase phase, long doneBytes, long totalBytes) {}

        private final PrintStream err;
        private final Map<String, State> layers = new LinkedHashMap<>();
        private int drawnLines;
        private long drawnAt;
        private boolean closed;

        Bars(PrintStream err) {
            this.err = err;
        }

        @Override
        public synchronized void layer(String layer, Phase phase, long doneBytes, long totalBytes) {
            layers.put(layer, new State(phase, doneBytes, totalBytes));
            if (closed || (phase == Phase.PULLING && System.nanoTime() - drawnAt < REDRAW_NANOS)) {
                return;
            }
            draw();
        }

        /** Comes before the first bar. */
        @Override
        public synchronized void warning(String sentence) {
            err.println("warning: " + sentence);
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
                    .append(layer)
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
                case PRESENT -> "already here";
                case DONE -> bar(WIDTH) + "  " + ByteSize.of(state.doneBytes());
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
