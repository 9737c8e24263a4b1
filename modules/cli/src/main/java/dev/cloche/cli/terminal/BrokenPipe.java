package dev.cloche.cli.terminal;

import java.io.IOException;
import java.util.Locale;

/** A reader may leave when it has read enough, which is no error; the JDK has no type for EPIPE, only its text. */
public final class BrokenPipe {
    private BrokenPipe() {}

    public static boolean is(IOException failed) {
        return String.valueOf(failed.getMessage()).toLowerCase(Locale.ROOT).contains("broken pipe");
    }
}
