package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.cli.Program.Result;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code cloche run} promises, in real VMs from the image {@code base}. */
class RunIT extends OnOneHome {
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
    void runsAProgramInPlaceOfTheImagesEntrypoint() {
        assertThat(cloche.run("run", "--entrypoint", "echo", "base", "--", "true", "there"))
                .isEqualTo(new Result(0, "true there\n", ""));
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
        Process piped = shell("\"$0\" run base -- yes | head -n 1");
        assertThat(Program.text(piped.getInputStream())).isEqualTo("y\n");
        assertThat(piped.waitFor()).isZero();
    }

    @Test
    void outputThatCannotBeWrittenIsAnError() throws Exception {
        Process full = shell("\"$0\" run base -- echo lost > /dev/full");

        assertThat(Program.text(full.getInputStream()))
                .startsWith("cloche: The output of the command could not be written:")
                .doesNotContain("\tat ");
        assertThat(full.waitFor()).isEqualTo(125);
    }

    @Test
    void aReaderThatLeftBeforeTheLastWordIsNoError() throws Exception {
        Process deaf = shell("exec 3>&1; { \"$0\" run base -- sh -c 'sleep 1; echo unheard' 2>&3; } | true");

        assertThat(Program.text(deaf.getInputStream())).isEmpty();
        assertThat(deaf.waitFor()).isZero();
    }

    @Test
    void aClosedStandardInputIsEmpty() throws Exception {
        Process closed = shell("\"$0\" run -i base -- wc -c <&-");

        assertThat(Program.text(closed.getInputStream())).isEqualTo("0\n");
        assertThat(closed.waitFor()).isZero();
    }

    @Test
    void wordsArriveUnchangedWhereTheLocaleIsC() throws Exception {
        // Spelled by printf, because these tests may themselves run where the locale is C.
        Process plain = shell("LC_ALL=C \"$0\" run base -- echo \"$(printf 'gr\\303\\274\\303\\237')\"");

        assertThat(Program.text(plain.getInputStream())).isEqualTo("gr\u00fc\u00df\n");
        assertThat(plain.waitFor()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"INT, 130", "TERM, 143", "HUP, 129"})
    void aSignalBeforeTheCommandRunsIsTheExitCode(String signal, int exitCode) throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Process pulling = cloche.start("run", "127.0.0.1:" + silent.getLocalPort() + "/never:1");
            try (Socket _ = silent.accept()) {
                Program.signal(pulling, signal);
                String said = Program.text(pulling.getErrorStream());

                assertThat(pulling.waitFor()).as(said).isEqualTo(exitCode);
                assertThat(said).startsWith("cloche: ").contains("interrupted").doesNotContain("\tat ");
            }
        }
    }

    /** The one process of the guest is killed, as by the host's memory killer: no stack trace, one sentence. */
    @Test
    void aVmThatIsKilledIsReportedOnce() throws Exception {
        Process running = cloche.start("run", "-i", "base", "--", "sh", "-c", "echo up; cat");
        assertThat(running.getInputStream().read()).isEqualTo('u');
        cloche.vmProcesses().forEach(ProcessHandle::destroyForcibly);
        String said = Program.text(running.getErrorStream());

        assertThat(running.waitFor()).as(said).isEqualTo(125);
        assertThat(said).contains("cloche: The sandbox ").doesNotContain("\tat ", "Exception");
    }

    private static Process shell(String script) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder("sh", "-c", script, Program.launcher().toString());
        builder.environment().putAll(cloche.environment());
        Process process = builder.redirectErrorStream(true).start();
        process.getOutputStream().close();
        return process;
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
