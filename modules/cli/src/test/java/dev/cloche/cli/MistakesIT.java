package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.cli.Program.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The first mistakes that people make: one sentence, what to do, the right exit code, nothing left behind. */
class MistakesIT {
    @TempDir
    static Path home;

    static Program cloche;

    @BeforeAll
    static void install() {
        cloche = Program.in(home);
        assertThat(cloche.run("pull", "-q", "base").stderr()).isEmpty();
    }

    @AfterEach
    void nothingIsLeftBehind() throws IOException {
        assertThat(cloche.vmProcesses()).isEmpty();
        assertThat(cloche.vmDirectories()).isEmpty();
    }

    static Stream<Arguments> mistakes() {
        return Stream.of(
                mistake(125, "NOT A REFERENCE", "run", "NOT A REFERENCE"),
                mistake(125, "connection was refused", "run", "localhost:1/none/such:1"),
                mistake(125, "no such host", "run", "registry.invalid/none/such:1"),
                mistake(125, "not on this host", "run", "--pull", "never", "debian"),
                mistake(127, "no-such-command", "run", "base", "--", "no-such-command"),
                mistake(126, "/etc/passwd", "run", "base", "--", "/etc/passwd"),
                mistake(125, "stranger", "run", "-u", "stranger", "base", "--", "true"),
                mistake(125, "strangers", "run", "-u", "root:strangers", "base", "--", "true"),
                mistake(125, "out of range", "run", "--memory", "16m", "base", "--", "true"),
                mistake(125, "out of range", "run", "--cpus", "0", "base", "--", "true"),
                mistake(125, "is no size", "run", "--memory", "lots", "base", "--", "true"),
                mistake(125, "not a name", "run", "--name", "../x", "base", "--", "true"),
                mistake(125, "absolute path", "run", "-w", "relative", "base", "--", "true"),
                mistake(125, "IMAGE", "run"),
                mistake(125, "-i has no meaning", "run", "-d", "-i", "base", "--", "true"),
                mistake(125, "no sandbox named", "exec", "none", "--", "true"),
                mistake(1, "no sandbox named", "stop", "none"),
                mistake(1, "no sandbox named", "rm", "none"),
                mistake(1, "no sandbox named", "fork", "none"),
                mistake(1, "no sandbox named", "commit", "none", "x"),
                mistake(1, "no sandbox named", "snapshot", "create", "none", "x"),
                mistake(1, "no snapshot or template named", "restore", "none"),
                mistake(1, "no snapshot or template named", "snapshot", "rm", "none"),
                mistake(1, "connection was refused", "pull", "localhost:1/none/such:1"),
                mistake(2, "no terminal", "login", "ghcr.io"),
                mistake(2, "the user has to be named", "login", "--password-stdin", "ghcr.io"),
                mistake(2, "that is no login", "login", "-u", "alice", "--password-stdin", "ghcr.io"),
                mistake(1, "no registry's name", "logout", "https://ghcr.io"),
                mistake(2, "Unknown option", "ps", "--no-such-option"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void isAnsweredWithOneSentenceAndAnAdvice(int exitCode, String said, String[] arguments) {
        Result result = cloche.run(arguments);
        assertThat(result.exitCode()).as(result.stderr()).isEqualTo(exitCode);
        assertThat(result.stderr())
                .startsWith("cloche: ")
                .containsIgnoringCase(said)
                .doesNotContain("\tat ");
        assertThat(result.stderr().lines()).hasSize(2);
        assertThat(result.stdout()).isEmpty();
        assertThat(cloche.run("ps", "-a", "--format", "json").stdout().strip()).isEqualTo("[ ]");
    }

    @Test
    void aNameInUseIsRefusedAndItsHolderUnharmed() {
        cloche.run("run", "-d", "--name", "taken", "base", "--", "sleep", "600");
        try {
            Result second = cloche.run("run", "--name", "taken", "base", "--", "true");
            assertThat(second.exitCode()).isEqualTo(125);
            assertThat(second.stderr()).contains("\"taken\" is in use", "cloche rm --force taken");
            assertThat(cloche.run("exec", "taken", "--", "echo", "here").stdout())
                    .isEqualTo("here\n");
        } finally {
            cloche.run("rm", "-f", "taken");
        }
    }

    @Test
    void aStateRootThatCannotBeWrittenIsNamed() throws IOException {
        Path file = Files.createTempFile("cloche", "no-directory");
        try {
            Program elsewhere = Program.in(file);
            Result result = elsewhere.run("ps");
            assertThat(result.exitCode()).isEqualTo(1);
            assertThat(result.stderr())
                    .startsWith("cloche: ")
                    .contains(file.toString())
                    .doesNotContain("\tat ");
        } finally {
            Files.delete(file);
        }
    }

    @Test
    void aStateRootThatOthersCanEnterIsRefused() throws IOException {
        Path open = Files.createTempDirectory("cloche");
        Files.setPosixFilePermissions(open, java.nio.file.attribute.PosixFilePermissions.fromString("rwxr-xr-x"));
        try {
            Result result = Program.in(open).run("ps");
            assertThat(result.exitCode()).isEqualTo(1);
            assertThat(result.stderr()).contains("chmod 700");
            assertThat(open).isEmptyDirectory();
        } finally {
            Files.delete(open);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"100k", "600k", "1500k"})
    void aFullDiskIsNamedAndNothingHalfIsKept(String size) throws Exception {
        Assumptions.assumeTrue(Program.isRoot(), "only root can mount a small file system");
        Path small = Files.createTempDirectory("cloche-small");
        Program.run(List.of("mount", "-t", "tmpfs", "-o", "mode=700,size=" + size, "none", small.toString()));
        try {
            Result result = Program.in(small).run("run", "base", "--", "true");
            assertThat(result.exitCode()).isEqualTo(125);
            assertThat(result.stderr())
                    .startsWith("cloche: ")
                    .containsIgnoringCase("space")
                    .doesNotContain("\tat ");
            assertThat(result.stderr().lines()).hasSize(2);
            Program.run(List.of("mount", "-o", "remount,size=20m", small.toString()));
            assertThat(Program.in(small).run("run", "-q", "base", "--", "echo", "recovered"))
                    .isEqualTo(new Result(0, "recovered\n", ""));
        } finally {
            Program.run(List.of("umount", small.toString()));
            Files.delete(small);
        }
    }

    @Test
    void doctorLooksAtEverythingAndSaysWhatIsMissing() {
        assertThat(cloche.run("doctor").stdout()).contains("accelerator", "kernel", "qemu", "disk", "state root");

        // The runtime may have a QEMU of its own.
        cloche.environment().put("CLOCHE_EMULATOR", "system");
        cloche.environment().put("PATH", "/nonexistent");
        try {
            Result withoutQemu = cloche.run("doctor");
            assertThat(withoutQemu.exitCode()).isEqualTo(1);
            assertThat(withoutQemu.stdout())
                    .contains("FAILURE")
                    .containsIgnoringCase("qemu")
                    .contains("→");
        } finally {
            cloche.environment().remove("PATH");
            cloche.environment().remove("CLOCHE_EMULATOR");
        }
    }

    private static Arguments mistake(int exitCode, String said, String... arguments) {
        return Arguments.of(exitCode, said, arguments);
    }
}
