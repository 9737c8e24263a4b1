package dev.cloche.cli.copy;

import dev.cloche.cli.terminal.ByteSize;
import dev.cloche.vm.CopyListener;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;

/** Shows the progress of a copy on one line of a terminal, cleared in the end; only for copies that take long. */
final class CopyProgress implements CopyListener, AutoCloseable {
    private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(700);
    private static final long REDRAW_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final String CLEAR = "\r\u001b[K";

    private final PrintStream err = System.err;
    private final boolean shown;
    private long next = System.nanoTime() + FIRST_NANOS;
    private boolean drawn;

    CopyProgress(boolean shown) {
        this.shown = shown;
    }

    @Override
    public void progress(long entries, long bytes) {
        long now = System.nanoTime();
        if (shown && now - next >= 0) {
            next = now + REDRAW_NANOS;
            drawn = true;
            err.print(
                    CLEAR + "copying: " + ByteSize.of(bytes) + ", " + entries + (entries == 1 ? " entry" : " entries"));
            err.flush();
        }
    }

    @Override
    public void close() {
        if (drawn) {
            err.print(CLEAR);
            err.flush();
        }
    }
}
