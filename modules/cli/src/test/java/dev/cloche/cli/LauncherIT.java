package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./cloche} with the program that this build has just published. */
class LauncherIT {
    private static final Path LAUNCHER = Shell.CHECKOUT.resolve("cloche");

    @TempDir
    Path directory;

    @Test
    void startsFromAnyDirectoryThroughSymbolicLinks() throws Exception {
        Path relative = Files.createDirectory(directory.resolve("bin"));
        Files.createSymbolicLink(directory.resolve("absolute"), LAUNCHER);
        Files.createSymbolicLink(relative.resolve("cloche"), Path.of("../absolute"));

        Shell.Result result = run(Map.of(), relative.resolve("cloche"), "--version");

        assertThat(result).isEqualTo(new Shell.Result(0, result.out(), ""));
        assertThat(result.out()).matches("cloche \\d.*\n");
    }

    @Test
    void passesArgumentsAndExitCodeThrough() throws Exception {
        Shell.Result result = run(Map.of(), LAUNCHER, "--no such option");

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("'--no such option'");
    }

    @Test
    void usesTheAheadOfTimeCache() throws Exception {
        // In this mode the JVM refuses to start when it cannot use its cache.
        Shell.Result result = run(Map.of("JDK_JAVA_OPTIONS", "-XX:AOTMode=on"), LAUNCHER, "--version");

        assertThat(result.exitCode()).as(result.err()).isZero();
    }

    @Test
    void doesNotMindAnOldJavaHome() throws Exception {
        Shell.Result result = run(Map.of("JAVA_HOME", fakeJdk("17.0.1").toString()), LAUNCHER, "--version");

        assertThat(result.exitCode()).as(result.err()).isZero();
    }

    @Test
    void takesAnotherJdkWhenThatOfTheBuildHasGone() throws Exception {
        Path installation = installation();
        List<String> current = new ArrayList<>(Files.readAllLines(installation.resolve("dist/current")));
        current.set(1, "/no/such/jdk");
        Files.write(installation.resolve("dist/current"), current);

        Shell.Result result =
                run(Map.of("JAVA_HOME", System.getProperty("java.home")), installation.resolve("cloche"), "--version");

        assertThat(result).isEqualTo(new Shell.Result(0, result.out(), ""));
        assertThat(result.out()).startsWith("cloche ");
    }

    @Test
    void startsWithoutNoiseWhenTheCacheDoesNotFitTheJvm() throws Exception {
        Path installation = installation();
        Path app = installation
                .resolve("dist/app")
                .resolve(
                        Files.readAllLines(installation.resolve("dist/current")).getFirst());
        Files.writeString(app.resolve("cloche.aot"), "of another JVM");

        Shell.Result result = run(Map.of(), installation.resolve("cloche"), "--version");

        assertThat(result).isEqualTo(new Shell.Result(0, result.out(), ""));
        assertThat(result.out()).startsWith("cloche ");
    }

    @Test
    void saysWhatToDoBeforeTheSetup() throws Exception {
        Path launcher = Files.copy(LAUNCHER, directory.resolve("cloche"));

        String said = "Cloche is not set up yet: run " + directory + "/setup first.\n";

        assertThat(run(Map.of(), launcher, "--version")).isEqualTo(new Shell.Result(1, "", said));
        assertThat(run(Map.of(), launcher, "machine", "ls")).isEqualTo(new Shell.Result(1, "", said));
        assertThat(run(Map.of(), launcher, "run", "base")).isEqualTo(new Shell.Result(125, "", said));
        assertThat(run(Map.of(), launcher, "machine", "shell", "m")).isEqualTo(new Shell.Result(125, "", said));
    }

    /** A copy of the launcher and of the published program. */
    private Path installation() throws IOException, InterruptedException {
        Path target = Files.createDirectory(directory.resolve("an installation"));
        Files.createDirectory(target.resolve("dist"));
        for (String part : List.of("cloche", "lib", "dist/app", "dist/current")) {
            List<String> copy = List.of(
                    "cp",
                    "-r",
                    Shell.CHECKOUT.resolve(part).toString(),
                    target.resolve(part).toString());
            assertThat(Shell.run(directory, Map.of(), copy)).isEqualTo(new Shell.Result(0, "", ""));
        }
        return target;
    }

    private Path fakeJdk(String version) throws IOException {
        Path home = Files.createDirectory(directory.resolve("jdk"));
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
        for (String tool : List.of("java", "javac")) {
            Path program = home.resolve("bin").resolve(tool);
            Files.createDirectories(home.resolve("bin"));
            Files.writeString(program, "#!/bin/sh\necho too old >&2\nexit 99\n");
            assertThat(program.toFile().setExecutable(true)).isTrue();
        }
        return home;
    }

    private Shell.Result run(Map<String, String> variables, Path launcher, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(launcher.toString()));
        command.addAll(List.of(arguments));
        return Shell.run(directory, variables, command);
    }
}
