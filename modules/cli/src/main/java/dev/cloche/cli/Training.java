package dev.cloche.cli;

import java.io.PrintWriter;
import java.io.Writer;
import java.util.List;

/**
 * What the ahead-of-time cache of the shipped program learns from: the build runs this class once and the JVM records
 * what it loads and links. A command that should start fast is listed here, and nowhere else.
 *
 * <p>It runs with {@code CLOCHE_HOME} in an empty temporary directory. A command may fail here (there is nothing to
 * list or to execute), it must only take the usual way through the code.
 */
final class Training {
    private static final List<List<String>> COMMANDS =
            List.of(List.of("--version"), List.of("--help"), List.of("--no-such-option"));

    private Training() {}

    public static void main(String[] args) {
        for (List<String> command : COMMANDS) {
            PrintWriter nowhere = new PrintWriter(Writer.nullWriter());
            Main.execute(nowhere, nowhere, command.toArray(String[]::new));
        }
    }
}
