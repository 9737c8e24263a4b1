package dev.cloche.bench.probe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

/** Times programs as whole processes, without any of our standard streams. */
public final class ProcessTimer {
    private ProcessTimer() {}

    /**
     * Runs a program to its end.
     *
     * @return wall time in nanoseconds
     * @throws IllegalStateException if it does not exit with 0
     */
    public static long time(Map<String, String> environment, String... command)
            throws IOException, InterruptedException {
        ProcessBuilder builder = quiet(command);
        builder.environment().putAll(environment);
        long begin = System.nanoTime();
        int exitCode = builder.start().waitFor();
        long taken = System.nanoTime() - begin;
        if (exitCode != 0) {
            throw new IllegalStateException(String.join(" ", command) + " ended with " + exitCode);
        }
        return taken;
    }

    static Process start(String... command) throws IOException {
        return quiet(command).start();
    }

    public static boolean installed(String program) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }

    private static ProcessBuilder quiet(String... command) {
        return new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
    }
}
