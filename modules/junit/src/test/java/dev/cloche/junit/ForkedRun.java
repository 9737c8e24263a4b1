package dev.cloche.junit;

import dev.cloche.base.ChildJvm;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A JVM of its own that runs the tests of a class, as a build tool forks it, and is led by its standard input. */
final class ForkedRun implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;
    private final BufferedWriter input;

    private ForkedRun(Process process) {
        this.process = process;
        output = process.inputReader();
        input = process.outputWriter();
    }

    static ForkedRun start(Path home, Class<?> tests, Path errors) throws IOException {
        List<String> command = ChildJvm.command(
                List.of("-Dcloche.share=" + System.getProperty("cloche.share")),
                ForkedRun.class,
                home.toString(),
                tests.getName());
        return new ForkedRun(
                new ProcessBuilder(command).redirectError(errors.toFile()).start());
    }

    /** Runs the tests; arguments: state root, class. Exit code 1 if one fails. */
    public static void main(String[] arguments) throws ClassNotFoundException {
        LauncherRun run = LauncherRun.of(Path.of(arguments[0]), Class.forName(arguments[1]));
        run.failures().values().forEach(Throwable::printStackTrace);
        System.exit(run.failures().isEmpty() && !run.succeeded().isEmpty() ? 0 : 1);
    }

    long pid() {
        return process.pid();
    }

    /** Returns the next line that a test says; empty if the JVM has ended. */
    Optional<String> line() {
        try {
            return Optional.ofNullable(output.readLine());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Tells a test something. */
    void say(String line) {
        try {
            input.write(line + "\n");
            input.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for its end. */
    int exitCode() throws InterruptedException {
        if (!process.waitFor(5, TimeUnit.MINUTES)) {
            throw new IllegalStateException("the JVM goes on");
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
