package dev.cloche.base;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Makes the command lines of JVMs that tests start beside their own, with what lets them start soon. */
public final class ChildJvm {
    /** They end before the better compiler, or threads that collect garbage, would pay for themselves. */
    private static final List<String> SOON = List.of(
            "--enable-native-access=ALL-UNNAMED",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            // One that is killed would leave them in the host's directory of temporary files.
            "-XX:-UsePerfData");

    private ChildJvm() {}

    /** Starts a class of the tests' own class path. */
    public static List<String> command(Class<?> main, String... arguments) {
        return command(List.of(), main, arguments);
    }

    /** Starts it with options of the JVM besides. */
    public static List<String> command(List<String> options, Class<?> main, String... arguments) {
        return command(options, System.getProperty("java.class.path"), main, arguments);
    }

    /** Starts it with another class path. */
    public static List<String> command(List<String> options, String classPath, Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(SOON);
        command.add("-Dorg.sqlite.tmpdir=" + leftovers());
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /** Returns where one that is killed leaves SQLite's library, which the next build removes. */
    private static Path leftovers() {
        try {
            return Files.createDirectories(Path.of("target", "leftovers").toAbsolutePath());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
