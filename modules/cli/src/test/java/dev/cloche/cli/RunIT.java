package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.cli.Program.Result;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code cloche run} promises, in real VMs from the image {@code base}. */
class RunIT {
    @TempDir
    static Path home;

    static Program cloche;

    @BeforeAll
    static void install() {
        cloche = Program.in(home);
    }

    @AfterEach
    void nothingIsLeftBehind() throws IOException {
        assertThat(cloche.vmProcesses()).isEmpty();
        assertThat(cloche.vmDirectories()).isEmpty();
        assertThat(cloche.run("ps", "-a", "--format", "json").stdout().strip()).isEqualTo("[ ]");
    }

    @Test
    void keepsStandardOutputAndErrorApart() {
        Result result = cloche.run("run", "base", "--", "sh", "-c", "echo out; echo err >&2");
        assertThat(result).isEqualTo(new Result(0, "out\n", "err\n"));
    }

    @ParameterizedTest
    @CsvSource({"true, 0", "exit 3, 3", "exit 255, 255", "kill -9 $$, 137", "kill -TERM $$, 143"})
    void passesTheExitCodeThrough(String script, int exitCode) {
        assertThat(cloche.run("run", "base", "--", "sh", "-c", script).exitCode())
                .isEqualTo(exitCode);
    }

    @Test
    void runsTheImagesOwnCommandWhenNoneIsGiven() {
        Result result = cloche.run("echo from the shell\n".getBytes(StandardCharsets.UTF_8), "run", "-i", "base");
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        assertThat(result.stdout()).isEqualTo("from the shell\n");
    }

    @Test
    void passesStandardInputOnUnchanged() {
        byte[] input = new byte[3 << 20];
        new Random(42).nextBytes(input);
        Result result = cloche.run(input, "run", "-i", "base", "--", "sha256sum");
        assertThat(result.stdout()).startsWith(sha256(input));
    }

    @Test
    void withoutInteractiveTheInputIsEmpty() {
        Result result = cloche.run("ignored".getBytes(StandardCharsets.UTF_8), "run", "base", "--", "cat");
        assertThat(result).isEqualTo(new Result(0, "", ""));
    }

    @Test
    void tenThousandLinesArriveWholeAndInOrder() {
        Result result = cloche.run("run", "base", "--", "seq", "1", "10000");
        assertThat(result.exitCode()).isZero();
        assertThat(result.stdout())
                .isEqualTo(
                        IntStream.rangeClosed(1, 10000).mapToObj(i -> i + "\n").collect(Collectors.joining()));
    }

    @Test
    void givesTheCommandItsEnvironmentDirectoryAndUser() {
        Result result = cloche.run(
                "run",
                "--name",
                "told",
                "--rm",
                "-e",
                "A=b c",
                "-w",
                "/somewhere/new",
                "-u",
                "nobody",
                "base",
                "--",
                "sh",
                "-c",
                "echo \"$A\"; pwd; id -un; hostname");
        assertThat(result).isEqualTo(new Result(0, "b c\n/somewhere/new\nnobody\ntold\n", ""));
    }

    @Test
    void theGuestHasTheMemoryAndProcessorsThatWereAskedFor() {
        Result result = cloche.run(
                "run",
                "--memory",
                "256m",
                "--cpus",
                "2",
                "base",
                "--",
                "sh",
                "-c",
                "nproc; awk '/MemTotal/ {print ($2 > 180000 && $2 < 262144)}' /proc/meminfo");
        assertThat(result.stdout()).isEqualTo("2\n1\n");
    }

    @Test
    void theGuestHasNoNetworkDevice() {
        assertThat(cloche.run("run", "base", "--", "ls", "/sys/class/net").stdout())
                .isEqualTo("lo\n");
    }

    @Test
    void whatAGuestWritesIsGoneWithIt() {
        assertThat(cloche.run("run", "base", "--", "sh", "-c", "echo x > /written && cat /written")
                        .stdout())
                .isEqualTo("x\n");
        assertThat(cloche.run("run", "base", "--", "test", "-e", "/written").exitCode())
                .isEqualTo(1);
    }

    @Test
    void theTimeoutEndsTheVmWith124() {
        Result result = cloche.run("run", "--timeout", "6s", "base", "--", "sleep", "600");
        assertThat(result.exitCode()).as(result.stderr()).isEqualTo(124);
        assertThat(result.stderr()).contains("longest time");
    }

    @Test
    void aReaderThatLeavesEndsTheCommand() throws Exception {
        ProcessBuilder pipeline = new ProcessBuilder("sh", "-c", "\"$0\" run base -- yes | head -n 1");
        pipeline.command().add(Program.launcher().toString());
        pipeline.environment().putAll(cloche.environment());
        Process piped = pipeline.redirectErrorStream(true).start();
        piped.getOutputStream().close();
        assertThat(Program.text(piped.getInputStream())).isEqualTo("y\n");
        assertThat(piped.waitFor()).isZero();
    }

    @Test
    void theStateRootIsForItsOwnerOnly() throws IOException {
        cloche.run("ps");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve("catalog.db"))))
                .isEqualTo("rw-------");
    }

    private static String sha256(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
