package dev.cloche.cli;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Trains the ahead-of-time cache of the shipped program: the build runs this class once and the JVM records
 * what it loads and links. A command that should start fast is listed here, and nowhere else.
 *
 * <p>It runs with {@code CLOCHE_HOME} in an empty temporary directory, and boots VMs where {@code ./setup} has made what
 * they need. A command may fail here, it must only take the usual way through the code. None may print anything from a
 * guest, because that goes to the real standard output.
 */
final class Training {
    /** Stands for an image that the build serves. */
    private static final String REGISTRY_IMAGE = "REGISTRY-IMAGE";

    private static final List<List<String>> COMMANDS = List.of(
            List.of("--version"),
            List.of("--help"),
            List.of("--no-such-option"),
            List.of("run", "-d", "--name", "training", "base", "--", "sleep", "60"),
            List.of("exec", "training", "--", "true"),
            List.of("ps"),
            List.of("ps", "-a", "--format", "json"),
            List.of("images"),
            List.of("image", "ls"),
            List.of("process", "ls"),
            List.of("pull", "-q", REGISTRY_IMAGE),
            List.of("run", "-i", "base", "--", "true"),
            List.of("run", "--rm", "--name", "second", "base", "--", "true"),
            List.of("stop", "-t", "1s", "training"),
            List.of("rm", "--force", "training"));

    private Training() {}

    /**
     * Runs the commands.
     *
     * @param args the image that the build serves
     */
    public static void main(String[] args) {
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
        System.setOut(nowhere);
        System.setErr(nowhere);
        for (List<String> command : COMMANDS) {
            Main.execute(command.stream()
                    .map(word -> word.equals(REGISTRY_IMAGE) ? args[0] : word)
                    .toArray(String[]::new));
        }
    }
}
