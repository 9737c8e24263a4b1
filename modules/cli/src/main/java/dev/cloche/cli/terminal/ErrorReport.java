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
        if (JsonLog.isOn()) {
            JsonLog.failure(error, err);
        } else {
            print(error.sentence(), error.remedy(), err);
        }
    }

    /** Prints what no error of ours is: a fault in Cloche, with its stack trace. */
    public static void printFault(Throwable fault, PrintStream err) {
        if (JsonLog.isOn()) {
            JsonLog.fault(fault, err);
        } else {
            print(sentence(fault), "This is a fault in Cloche; please report it with the lines below.", err);
            fault.printStackTrace(err);
        }
    }

    static String sentence(Throwable fault) {
        return "Something unexpected happened: " + fault;
    }

    public static void print(String sentence, String remedy, PrintStream err) {
        err.println("cloche: " + clean(ClocheException.ended(CommandWords.of(sentence))));
        if (!remedy.isEmpty()) {
            err.println("        " + clean(CommandWords.of(remedy)));
        }
    }

    static String clean(String text) {
        return text.replaceAll("[\\p{Cc}\\p{Cf}&&[^\\n\\t]]", "?").strip();
    }
}
