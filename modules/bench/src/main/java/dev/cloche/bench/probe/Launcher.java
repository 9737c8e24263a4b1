package dev.cloche.bench.probe;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Times the shipped {@code ./cloche} as a whole process. */
public record Launcher(Path program, Path home, Map<String, String> environment) {
    Launcher(Path program, Path home) {
        this(program, home, Map.of());
    }

    /** Returns the same with a share directory that is looked at first. */
    public Launcher withShare(Path share) {
        return new Launcher(program, home, Map.of("CLOCHE_SHARE", share.toString()));
    }

    /**
     * Runs it once.
     *
     * @return wall time from the start to the end of the process, in nanoseconds
     * @throws IllegalStateException if it does not exit with 0
     */
    public long time(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(arguments));
        return time(command);
    }

    public long time(List<String> command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().putAll(environment);
        builder.environment().put("CLOCHE_HOME", home.toString());
        // Each run is to be as the first one.
        builder.environment().put("CLOCHE_TEMPLATES", "never");
        // A peer keeps its state below the home directory, and must not meet the user's.
        builder.environment().put("HOME", home.resolveSibling("peer").toString());
        long begin = System.nanoTime();
        int exitCode = builder.start().waitFor();
        long taken = System.nanoTime() - begin;
        if (exitCode != 0) {
            throw new IllegalStateException(String.join(" ", command) + " ended with " + exitCode);
        }
        return taken;
    }
}
