package dev.cloche.cli.terminal;

import dev.cloche.base.ClocheException;
import java.io.PrintStream;

/**
 * Prints an error as people read it: what happened, and what to do next, in commands. Control and format characters are shown
 * as {@code ?}.
 */
public final class ErrorReport {
    private ErrorReport() {}

    public static void print(ClocheException error, PrintStream err) {
        print(error.sentence(), error.remedy(), err);
    }

    public static void print(String sentence, String remedy, PrintStream err) {
        err.println("cloche: " + clean(CommandWords.of(sentence)));
        if (!remedy.isEmpty()) {
            err.println("        " + clean(CommandWords.of(remedy)));
        }
    }

    private static String clean(String text) {
        return text.replaceAll("[\\p{Cc}\\p{Cf}&&[^\\n\\t]]", "?").strip();
    }
}
