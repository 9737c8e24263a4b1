package dev.cloche.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs programs of the checkout as a user does. */
final class Shell {
    /** The root of the checkout; tests run in their module's directory. */
    static final Path CHECKOUT = Path.of("../..").toAbsolutePath().normalize();

    private Shell() {}

    /** What a program did; the streams are whole. */
    record Result(int exitCode, String out, String err) {}

    /** Runs {@code command} in {@code directory}. */
    static Result run(Path directory, Map<String, String> variables, List<String> command)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile("cloche-test", ".out");
        Path err = Files.createTempFile("cloche-test", ".err");
        try {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile());
            builder.environment().putAll(variables);
            Process process = builder.start();
            if (!process.waitFor(2, TimeUnit.MINUTES)) {
                process.destroyForcibly().waitFor();
                throw new AssertionError(command + " does not end");
            }
            return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }
}
