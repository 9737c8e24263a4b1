package dev.cloche.qemu.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One guard that runs a shell script, as a starter sees it. */
final class GuardRun implements AutoCloseable {
    private final Path directory;
    private final Process process;
    private final String firstLine;

    private GuardRun(Path directory, Process process, String firstLine) {
        this.directory = directory;
        this.process = process;
        this.firstLine = firstLine;
    }

    static GuardRun script(Path binary, Path directory, List<String> options, String script) throws IOException {
        var arguments = new ArrayList<>(List.of("--dir", directory.toString()));
        arguments.addAll(options);
        arguments.addAll(List.of("--", "/bin/sh", "-c", script));
        return raw(binary, directory, arguments);
    }

    static GuardRun raw(Path binary, Path directory, List<String> arguments) throws IOException {
        var command = new ArrayList<>(List.of(binary.toString()));
        command.addAll(arguments);
        var process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        // The guard closes its standard output after the first line, so this ends while it still runs.
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new GuardRun(directory, process, output);
    }

    /** What the guard said: exactly one line. */
    String said() {
        return firstLine;
    }

    long programPid() {
        assertThat(firstLine).matches("started [0-9]+\n");
        return Long.parseLong(firstLine.substring("started ".length()).strip());
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    void tell(String bytes) throws IOException {
        process.getOutputStream().write(bytes.getBytes(StandardCharsets.US_ASCII));
        process.getOutputStream().flush();
    }

    /** The owner is gone. */
    void closeOwnerPipe() throws IOException {
        process.getOutputStream().close();
    }

    int exitCode() throws InterruptedException {
        assertThat(process.waitFor(5, TimeUnit.MINUTES)).as("the guard ends").isTrue();
        return process.exitValue();
    }

    /** Waits for the end and answers {@code exit.json}. */
    String ending() throws IOException, InterruptedException {
        assertThat(exitCode()).isZero();
        return Files.readString(directory.resolve("exit.json"));
    }

    void signal(String name) throws IOException, InterruptedException {
        assertThat(shell("kill -" + name + " " + process.pid())).isZero();
    }

    static int shell(String script) throws IOException, InterruptedException {
        return new ProcessBuilder("/bin/sh", "-c", script)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        process.onExit().join();
        process.getOutputStream().close();
    }
}
