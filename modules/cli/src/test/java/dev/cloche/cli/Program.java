package dev.cloche.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** The real {@code ./cloche} on a state root of its own, as root or as another user. */
final class Program {
    /** Is the id of the user without rights on every Debian. */
    private static final int STRANGER = 65534;

    private final Path home;
    private final Map<String, String> environment = new HashMap<>();
    private final List<String> prefix;
    private Duration patience = Duration.ofMinutes(5);

    record Result(int exitCode, String stdout, String stderr) {}

    private Program(Path home, List<String> prefix) {
        this.home = home;
        this.prefix = prefix;
        environment.put("CLOCHE_HOME", home.toString());
        // A maker would go on after its test.
        environment.put("CLOCHE_TEMPLATES", "never");
    }

    /** As the user that runs the tests. */
    static Program in(Path home) {
        Assumptions.assumeTrue(Files.isExecutable(launcher()), "there is no launcher: " + launcher());
        Assumptions.assumeTrue(
                Files.isDirectory(root().resolve("dist/share")), "nothing is installed: run ./setup first");
        return new Program(home, List.of());
    }

    /** Waits so long for the end of each command, in place of 5 minutes. */
    Program patient(Duration longer) {
        patience = longer;
        return this;
    }

    /** The same, whose templates are made and pools filled by processes in the background. */
    Program withMakers() {
        Program making = new Program(home, prefix);
        making.environment.putAll(environment);
        making.environment.remove("CLOCHE_TEMPLATES");
        return making;
    }

    /** The same, started by another program, which gets its command line. */
    Program within(List<String> starter) {
        Program started = new Program(home, starter);
        started.environment.putAll(environment);
        return started;
    }

    /** As an ordinary user, which only root can arrange. */
    static Program asOrdinaryUser(Path home) throws IOException, InterruptedException {
        var _ = in(home);
        Assumptions.assumeTrue(isRoot(), "becoming another user needs root; the other suite ran as an ordinary user");
        run(List.of("chown", STRANGER + ":" + STRANGER, home.toString()));
        Program ordinary =
                new Program(home, List.of("setpriv", "--reuid=" + STRANGER, "--regid=" + STRANGER, "--clear-groups"));
        ordinary.environment.put("HOME", home.toString());
        Assumptions.assumeTrue(
                ordinary.reachesTheLauncher(),
                "other users cannot read this checkout, so none of them can run it: " + root());
        return ordinary;
    }

    static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    static Path root() {
        return Path.of(System.getProperty("cloche.root", "../.."))
                .toAbsolutePath()
                .normalize();
    }

    static Path launcher() {
        return root().resolve("cloche");
    }

    Path home() {
        return home;
    }

    List<String> command(String... arguments) {
        // What ignores a signal from its start rightly goes on to: so the program must not inherit that from a build
        // that
        // runs in the background of a script.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal"));
        command.addAll(prefix);
        command.add(launcher().toString());
        command.addAll(List.of(arguments));
        return command;
    }

    private boolean reachesTheLauncher() throws IOException, InterruptedException {
        List<String> look = new ArrayList<>(prefix);
        look.addAll(List.of("test", "-x", launcher().toString()));
        return new ProcessBuilder(look)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }

    Result run(String... arguments) {
        return run(new byte[0], arguments);
    }

    Result run(byte[] stdin, String... arguments) {
        Process process = start(arguments);
        CompletableFuture<String> stdout = CompletableFuture.supplyAsync(() -> text(process.getInputStream()));
        CompletableFuture<String> stderr = CompletableFuture.supplyAsync(() -> text(process.getErrorStream()));
        try {
            try (OutputStream to = process.getOutputStream()) {
                to.write(stdin);
            } catch (IOException notRead) {
                // It ended before it read everything, which is its right.
            }
            return finish(process, stdout, stderr);
        } catch (InterruptedException e) {
            process.destroyForcibly();
            throw new IllegalStateException(e);
        }
    }

    private Result finish(Process process, CompletableFuture<String> stdout, CompletableFuture<String> stderr)
            throws InterruptedException {
        if (!process.waitFor(patience.toSeconds(), TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(
                    "no end after " + patience + "; stdout: " + known(stdout) + "; stderr: " + known(stderr));
        }
        return new Result(process.exitValue(), stdout.join(), stderr.join());
    }

    /** Returns what a program that was killed has written, as far as it could be read. */
    private static String known(CompletableFuture<String> text) {
        return text.exceptionally(unread -> "not read: " + unread.getMessage()).join();
    }

    /**
     * With a terminal of its own, by script(1); what is written to the process is typed there. The shell that script starts is
     * replaced by the program: one that stays, as dash does, ends itself by a Ctrl-C that the program survives.
     */
    Process startOnTerminal(String... arguments) {
        String words = command(arguments).stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
        ProcessBuilder builder =
                new ProcessBuilder("script", "-qefc", "exec " + words, "/dev/null").redirectErrorStream(true);
        builder.environment().putAll(environment);
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The caller reads its streams and waits for its end. */
    Process start(String... arguments) {
        ProcessBuilder builder = new ProcessBuilder(command(arguments));
        builder.environment().putAll(environment);
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Map<String, String> environment() {
        return environment;
    }

    /** The processes that belong to VMs of this state root. */
    List<ProcessHandle> vmProcesses() {
        try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
            // The guard names its directory, QEMU its disk; the client names neither on its command line.
            return all.filter(process -> commandLine(process).contains(home + "/"))
                    .toList();
        }
    }

    List<Path> vmDirectories() throws IOException {
        Path vms = home.resolve("vms");
        if (!Files.isDirectory(vms)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(vms)) {
            return entries.toList();
        }
    }

    private static String commandLine(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"), StandardCharsets.ISO_8859_1);
        } catch (IOException | UncheckedIOException ended) {
            return "";
        }
    }

    static String text(InputStream stream) {
        try (stream) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** By the shell's own kill, because a small system has no other. */
    static void signal(Process process, String name) throws IOException, InterruptedException {
        run(List.of("sh", "-c", "kill -" + name + " " + process.pid()));
    }

    static void run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .start();
        String output = text(process.getInputStream());
        if (process.waitFor() != 0) {
            throw new IllegalStateException(command + " failed: " + output);
        }
    }
}
