package dev.cloche.cli.terminal;

import dev.cloche.vm.OutputLogEntry;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.function.Consumer;

/** Puts the pieces of a log together to lines, each output by itself. */
public final class LogLines {
    /** A line that is longer is told in pieces: a guest may write one without an end. */
    private static final int LONGEST = 64 * 1024;

    private final Consumer<LogLine> sink;
    private final Unfinished out = new Unfinished(false);
    private final Unfinished err = new Unfinished(true);

    public LogLines(Consumer<LogLine> sink) {
        this.sink = sink;
    }

    public void add(OutputLogEntry entry) {
        (entry.error() ? err : out).add(entry);
    }

    /** Tells what has no line's end yet. */
    public void flush() {
        out.flush();
        err.flush();
    }

    private final class Unfinished {
        private final boolean error;
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private Instant since = Instant.EPOCH;

        Unfinished(boolean error) {
            this.error = error;
        }

        void add(OutputLogEntry entry) {
            ByteBuffer rest = entry.bytes().duplicate();
            while (rest.hasRemaining()) {
                if (bytes.size() == 0) {
                    since = entry.time();
                }
                byte next = rest.get();
                bytes.write(next);
                if (next == '\n' || bytes.size() == LONGEST) {
                    flush();
                }
            }
        }

        void flush() {
            if (bytes.size() > 0) {
                sink.accept(new LogLine(error, since, ByteBuffer.wrap(bytes.toByteArray())));
                bytes.reset();
            }
        }
    }
}
