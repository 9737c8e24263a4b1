package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.cli.Program.Result;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who lives as long as whom: clients, detached sandboxes, signals. */
class LifetimeIT extends OnOneHome {
    private static final String DEAF = "trap '' INT TERM HUP; echo ready; while :; do sleep 1; done";

    @ParameterizedTest
    @CsvSource({"INT, 7", "TERM, 7", "HUP, 7"})
    void aSignalReachesTheCommandWhoseExitCodeCounts(String signal, int exitCode) throws Exception {
        Process client = cloche.start(
                "run",
                "base",
                "--",
                "sh",
                "-c",
                "trap 'echo got it; exit 7' " + signal + "; echo ready; while :; do sleep 0.1; done");
        BufferedReader stdout = reader(client);
        assertThat(stdout.readLine()).isEqualTo("ready");
        Program.signal(client, signal);

        assertThat(stdout.readLine()).isEqualTo("got it");
        assertThat(client.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(client.exitValue()).isEqualTo(exitCode);
    }

    @Test
    void aThirdInterruptEndsACommandThatIgnoresThem() throws Exception {
        Process client = cloche.start("run", "base", "--", "sh", "-c", DEAF);
        assertThat(reader(client).readLine()).isEqualTo("ready");
        // Three of a kind may become one, where the program does not get to run in between.
        for (String signal : List.of("INT", "TERM", "HUP")) {
            Program.signal(client, signal);
            client.waitFor(500, TimeUnit.MILLISECONDS);
        }
        assertThat(client.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(client.exitValue()).isIn(130, 143, 129);
    }

    @Test
    void anInterruptDuringTheBootLeavesNothing() throws Exception {
        Process client = cloche.start("run", "base", "--", "sleep", "600");
        await().until(() -> !cloche.vmProcesses().isEmpty());
        Program.signal(client, "INT");
        assertThat(client.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(client.exitValue()).isEqualTo(130);
    }

    @Test
    void aClientKilledWithSigkillLeavesNoVmAlsoWhenTheGuestIgnoresEverything() throws Exception {
        Process client = cloche.start("run", "--name", "orphan", "base", "--", "sh", "-c", DEAF);
        assertThat(reader(client).readLine()).isEqualTo("ready");
        // The guard and its two children for ports have its command line.
        assertThat(cloche.vmProcesses()).hasSize(4);
        client.destroyForcibly().waitFor();

        await().until(() -> cloche.vmProcesses().isEmpty());
        Result ps = cloche.run("ps", "-a", "--format", "json");
        assertThat(ps.stdout()).contains("\"crashed\"", "\"internal-error\"");
        assertThat(cloche.run("rm", "orphan").exitCode()).isZero();
    }

    @Test
    void aDetachedSandboxSurvivesAClosedTerminalAndCtrlC() throws Exception {
        // script(1) gives the client a terminal of its own; ending script hangs that terminal up.
        String line = "'" + Program.launcher() + "' run -d --name survivor base -- sleep 600; echo started; sleep 600";
        ProcessBuilder builder = new ProcessBuilder("script", "-qfec", line, "/dev/null");
        builder.environment().putAll(cloche.environment());
        Process terminal = builder.redirectErrorStream(true).start();
        BufferedReader screen = reader(terminal);
        assertThat(screen.readLine()).isEqualTo("survivor");
        assertThat(screen.readLine()).isEqualTo("started");
        terminal.getOutputStream().write(3);
        terminal.getOutputStream().flush();
        terminal.destroy();
        assertThat(terminal.waitFor(5, TimeUnit.MINUTES)).isTrue();

        assertThat(cloche.run("exec", "survivor", "--", "echo", "alive")).isEqualTo(new Result(0, "alive\n", ""));
        assertThat(cloche.run("ps").stdout()).contains("survivor", "running");
        assertThat(cloche.run("stop", "-t", "5m", "survivor").exitCode()).isZero();
        assertThat(cloche.run("ps", "-a").stdout()).contains("survivor", "stopped (signal 15)");
        assertThat(cloche.run("rm", "survivor").exitCode()).isZero();
    }

    @Test
    void aDetachedSandboxEndsWithItsCommandAndItsExitCodeIsKept() {
        assertThat(cloche.run("run", "-d", "--name", "brief", "base", "--", "sh", "-c", "sleep 1; exit 9")
                        .stdout())
                .isEqualTo("brief\n");
        await().until(() -> cloche.vmProcesses().isEmpty());
        assertThat(cloche.run("ps", "-a").stdout()).contains("brief", "stopped (exit 9)");
        assertThat(cloche.run("exec", "brief", "--", "true").stderr()).contains("is not running");
        assertThat(cloche.run("rm", "brief").exitCode()).isZero();
    }

    /** Only the guard of the detached one is there to end it. */
    @Test
    void aLongestDurationIsHeldWhoeverIsThere() {
        startedWithin(8);
        assertThat(cloche.run("run", "--timeout", "8s", "base", "--", "sh", "-c", DEAF)
                        .exitCode())
                .isEqualTo(124);
        await().until(() -> cloche.vmProcesses().isEmpty());
        assertThat(cloche.run("wait", "long").stdout()).startsWith("stopped max-duration-exceeded");
        assertThat(cloche.run("ps", "-a").stdout()).contains("stopped (max-duration-exceeded)");
        assertThat(cloche.run("rm", "long").exitCode()).isZero();
    }

    /** The boot is a part of the longest duration: on a busy host it is given more. */
    private static void startedWithin(int seconds) {
        Result started = cloche.run(
                "run", "-d", "--name", "long", "--max-duration", seconds + "s", "base", "--", "sh", "-c", DEAF);
        if (started.exitCode() != 0) {
            assertThat(seconds).as(started.stderr()).isLessThan(300);
            cloche.run("rm", "--force", "long");
            startedWithin(2 * seconds);
        }
    }

    @Test
    void anAttachedSandboxCanBeUsedAndStoppedFromElsewhere() throws Exception {
        Process client = cloche.start("run", "--name", "shared", "base", "--", "sh", "-c", "echo ready; sleep 600");
        assertThat(reader(client).readLine()).isEqualTo("ready");
        assertThat(cloche.run(
                        "exec",
                        "-e",
                        "X=1",
                        "-w",
                        "/tmp",
                        "-u",
                        "nobody",
                        "shared",
                        "--",
                        "sh",
                        "-c",
                        "echo $X $(pwd) $(id -un); exit 4"))
                .isEqualTo(new Result(4, "1 /tmp nobody\n", ""));
        assertThat(cloche.run("rm", "shared").stderr()).contains("is running");
        assertThat(cloche.run("stop", "-t", "1s", "shared").exitCode()).isZero();
        assertThat(client.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(client.exitValue()).isNotZero();
        assertThat(cloche.run("rm", "shared").exitCode()).isZero();
    }

    @Test
    void forceRemovesWhatRuns() {
        cloche.run("run", "-d", "--name", "stubborn", "base", "--", "sh", "-c", DEAF);
        assertThat(cloche.run("rm", "-f", "stubborn").exitCode()).isZero();
        assertThat(cloche.vmProcesses()).isEmpty();
    }

    private static BufferedReader reader(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }
}
