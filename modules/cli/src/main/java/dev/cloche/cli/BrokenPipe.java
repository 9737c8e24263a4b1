package dev.cloche.cli;

import java.io.IOException;
import java.util.Locale;

/** A reader may leave when it has read enough, which is no error; the JDK has no type for EPIPE, only its text. */
final class BrokenPipe {
    private BrokenPipe() {}

    static boolean is(IOException failed) {
        return String.valueOf(failed.getMessage()).toLowerCase(Locale.ROOT).contains("broken pipe");
    }
}
