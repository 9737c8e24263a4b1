package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.cli.Program.Result;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The life of a sandbox as it is led from a shell. */
class LifecycleIT extends OnOneHome {
    @Test
    void whatRunWasToldHoldsForLaterCommands() {
        String report = "echo $COLOUR; pwd; id -un";
        assertThat(cloche.run(
                                "run",
                                "-d",
                                "--name",
                                "told",
                                "-e",
                                "COLOUR=blue",
                                "-w",
                                "/made/for/it",
                                "-u",
                                "nobody",
                                "base",
                                "--",
                                "sh",
                                "-c",
                                report + "; exec sleep 600")
                        .exitCode())
                .isZero();
        String usual = "blue\n/made/for/it\nnobody\n";
        await().until(() -> cloche.run("logs", "told").stdout().equals(usual));
        assertThat(cloche.run("exec", "told", "--", "sh", "-c", report)).isEqualTo(new Result(0, usual, ""));
        assertThat(cloche.run("exec", "-e", "COLOUR=red", "-w", "/tmp", "-u", "root", "told", "--", "sh", "-c", report))
                .isEqualTo(new Result(0, "red\n/tmp\nroot\n", ""));
        // What one command was told is no other's.
        assertThat(cloche.run("exec", "-e", "SHADE=dark", "told", "--", "sh", "-c", report + "; echo $SHADE")
                        .stdout())
                .isEqualTo(usual + "dark\n");
        // Nor does a further start forget it.
        assertThat(cloche.run("restart", "-t", "0", "told").exitCode()).isZero();
        assertThat(cloche.run("exec", "told", "--", "sh", "-c", report)).isEqualTo(new Result(0, usual, ""));
        assertThat(cloche.run("rm", "-f", "told").exitCode()).isZero();
    }

    @Test
    void whatAnAttachedRunWasToldHoldsForCommandsOfOtherProcesses() throws Exception {
        Process client = cloche.start(
                "run",
                "--name",
                "here",
                "-e",
                "COLOUR=green",
                "-w",
                "/srv/app",
                "-u",
                "nobody",
                "base",
                "--",
                "sh",
                "-c",
                "echo ready; exec sleep 600");
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(output.readLine()).isEqualTo("ready");
            assertThat(cloche.run("exec", "here", "--", "sh", "-c", "echo $COLOUR; pwd; id -un"))
                    .isEqualTo(new Result(0, "green\n/srv/app\nnobody\n", ""));
        }
        assertThat(cloche.run("stop", "-t", "0", "here").exitCode()).isZero();
        assertThat(client.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(cloche.run("rm", "here").exitCode()).isZero();
    }

    @Test
    void fromItsCreationToItsRemoval() {
        assertThat(cloche.run(
                                "create",
                                "--name",
                                "web",
                                "-l",
                                "team=search",
                                "-e",
                                "COLOUR=blue",
                                "--stop-signal",
                                "quit",
                                "base",
                                "--",
                                "sh",
                                "-c",
                                "echo $COLOUR; exec sleep 600")
                        .stdout())
                .isEqualTo("web\n");
        assertThat(cloche.run("ps", "-a", "--filter", "label=team=search").stdout())
                .contains("web", "created");
        assertThat(cloche.run("start", "web")).isEqualTo(new Result(0, "web\n", ""));
        assertThat(cloche.run("pause", "web").exitCode()).isZero();
        assertThat(cloche.run("exec", "web", "--", "true").stderr()).contains("is paused", "cloche resume web");
        assertThat(cloche.run("resume", "web").exitCode()).isZero();
        assertThat(cloche.run("exec", "web", "--", "echo", "here").stdout()).isEqualTo("here\n");
        assertThat(cloche.run("rename", "web", "www").exitCode()).isZero();
        assertThat(cloche.run("restart", "-t", "5m", "www").exitCode()).isZero();
        await().until(() -> cloche.run("logs", "www").stdout().equals("blue\n"));
        assertThat(cloche.run("kill", "www").exitCode()).isZero();

        String record = cloche.run("inspect", "--format", "json", "www").stdout();
        assertThat(record)
                .contains("\"status\" : \"stopped\"", "\"team\" : \"search\"", "\"COLOUR\" : \"blue\"")
                .contains("\"reason\" : \"shutdown-requested\"", "\"reason\" : \"signal\"", "\"exitSignal\" : 9")
                .contains("\"exitSignal\" : 3", "\"killed\" : false", "\"stopSignal\" : \"SIGQUIT\"")
                .containsPattern("\"pid\" : [1-9]")
                .containsPattern("\"startedAt\" : \"20")
                .containsPattern("\"readyAt\" : \"20")
                .containsPattern("\"terminatedAt\" : \"20");
        assertThat(cloche.run("wait", "www").stdout()).isEqualTo("stopped signal 137\n");
        assertThat(cloche.run("start", "www").exitCode()).isZero();
        assertThat(cloche.run("drain", "-t", "5m", "www").exitCode()).isZero();
        assertThat(cloche.run("wait", "www").stdout()).isEqualTo("stopped drain-requested 131\n");
        assertThat(cloche.run("inspect", "www").stdout()).contains("SIGQUIT");
        assertThat(cloche.run("rm", "www").exitCode()).isZero();
        assertThat(cloche.run("events", "--since", "1h", "--no-follow")
                        .stdout()
                        .lines()
                        .map(line -> line.split(" ", -1)[1])
                        .toList())
                .containsSubsequence(List.of(
                        "created",
                        "starting",
                        "running",
                        "paused",
                        "resumed",
                        "renamed",
                        "draining",
                        "stopped",
                        "starting",
                        "running",
                        "draining",
                        "stopped",
                        "starting",
                        "running",
                        "draining",
                        "stopped",
                        "removed"));
    }

    @Test
    void aKeeperStartsAgainWhatDies() throws Exception {
        Process keeper = cloche.start("keep", "--log-format", "json");
        Process events =
                cloche.start("events", "--since", "1h", "--filter", "sandbox=again", "--filter", "event=running");
        try {
            BufferedReader running =
                    new BufferedReader(new InputStreamReader(events.getInputStream(), StandardCharsets.UTF_8));
            cloche.run(
                    "run",
                    "-d",
                    "--name",
                    "again",
                    "--restart",
                    "on-failure:1",
                    "base",
                    "--",
                    "sh",
                    "-c",
                    "sleep 2; exit 6");
            assertThat(running.readLine()).contains("running again");
            assertThat(running.readLine()).contains("running again");
            assertThat(cloche.run("wait", "again").stdout()).isEqualTo("stopped failed 6\n");
            assertThat(cloche.run("inspect", "--format", "json", "again").stdout())
                    .contains("\"restarts\" : 1", "\"restart\" : \"on-failure:1\"");
        } finally {
            events.destroy();
            keeper.toHandle().destroy(); // destroy() of the process would close its streams
            assertThat(events.waitFor(5, TimeUnit.MINUTES)).isTrue();
            assertThat(keeper.waitFor(5, TimeUnit.MINUTES)).isTrue();
        }
        assertThat(cloche.run("rm", "again").exitCode()).isZero();
        // What a service logs: an object on each line.
        assertThat(new String(keeper.getErrorStream().readAllBytes(), StandardCharsets.UTF_8)
                        .lines()
                        .toList())
                .allSatisfy(line ->
                        assertThat(line).matches("\\{\"time\":\"[^\"]+Z\",\"level\":\"[A-Z]+\",\"logger\":.+\\}"))
                .anySatisfy(line -> assertThat(line)
                        .matches(
                                ".*\"level\":\"DEBUG\".*\"message\":\"sandbox again \\(\\d+\\): .*\"remedy\":null\\}"));
    }

    @Test
    void whatIsAskedInAWrongWayIsRefusedBeforeAnyEffect() {
        assertThat(cloche.run("run", "--cpus", "64", "base", "--", "true").stderr())
                .contains("64 CPUs");
        assertThat(cloche.run("run", "-e", "", "base", "--", "true").stderr())
                .contains("names no environment variable");
        assertThat(cloche.run("run", "--restart", "always", "base").stderr()).contains("only with -d");
        assertThat(cloche.run("ps", "--filter", "size=3").exitCode()).isEqualTo(2);
        assertThat(cloche.run("ps", "--limit", "0").stderr()).contains("Give a positive limit.");
        assertThat(cloche.run("restart", "nobody").stderr()).contains("no sandbox named");
    }

    @Test
    void aListThatCannotBeWrittenIsAFailure() throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                "sh", "-c", "\"$0\" ps -a > /dev/full", Program.launcher().toString());
        builder.environment().putAll(cloche.environment());
        Process full = builder.redirectErrorStream(true).start();
        assertThat(new String(full.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("could not be written");
        assertThat(full.waitFor()).isEqualTo(1);
    }

    @Test
    void aSuspendedSandboxIsShownAndGoesOn(@TempDir Path directory) throws Exception {
        String secret = "id=token,src=" + Files.writeString(directory.resolve("token"), "s3cret");
        String[] show = {"exec", "kept", "--", "cat", "/run/secrets/token"};
        String main = "echo first; exec sleep 600";
        assertThat(cloche.run("run", "-d", "--name", "kept", "--secret", secret, "base", "--", "sh", "-c", main)
                        .exitCode())
                .isZero();
        String pid = "pidof sleep | awk '{print $1}'";
        await().until(() -> cloche.run("logs", "kept").stdout().equals("first\n"));
        String before = cloche.run("exec", "kept", "--", "sh", "-c", pid).stdout();
        assertThat(cloche.run("suspend", "kept")).isEqualTo(new Result(0, "kept\n", ""));
        assertThat(cloche.run("ps").stdout()).contains("kept").contains("suspended");
        assertThat(cloche.run("inspect", "kept").stdout()).contains("suspended");
        assertThat(cloche.run("logs", "kept").stdout()).isEqualTo("first\n");
        Result refused = cloche.run("exec", "kept", "--", "true");
        assertThat(refused.exitCode()).isEqualTo(125);
        assertThat(refused.stderr()).contains("was suspended").contains("cloche resume kept");
        assertThat(cloche.run("snapshot", "create", "kept", "early").exitCode()).isZero();

        assertThat(cloche.run("resume", "kept")).isEqualTo(new Result(0, "kept\n", ""));
        assertThat(cloche.run("exec", "kept", "--", "sh", "-c", pid).stdout()).isEqualTo(before);
        assertThat(cloche.run("logs", "kept").stdout()).isEqualTo("first\n");
        assertThat(cloche.run("restore", "--keep-running", "--name", "child", "early")
                        .exitCode())
                .isZero();
        assertThat(cloche.run("exec", "child", "--", "sh", "-c", pid).stdout()).isEqualTo(before);
        assertThat(cloche.run("rm", "-f", "child").exitCode()).isZero();
        assertThat(cloche.run("snapshot", "rm", "early").exitCode()).isZero();
        assertThat(cloche.run(show).stdout()).isEqualTo("s3cret");
        assertThat(cloche.run("resume", "--secret", secret, "kept").stderr()).contains("is not suspended");
        assertThat(cloche.run("suspend", "--drop-secrets", "kept").exitCode()).isZero();
        assertThat(cloche.run("start", "kept").exitCode()).isZero();
        assertThat(cloche.run(show).exitCode()).isEqualTo(1);
        assertThat(cloche.run("suspend", "kept").exitCode()).isZero();
        assertThat(cloche.run("resume", "--secret", secret, "kept").exitCode()).isZero();
        assertThat(cloche.run(show).stdout()).isEqualTo("s3cret");
        assertThat(cloche.run("exec", "kept", "--", "sh", "-c", pid).stdout()).isEqualTo(before);
        assertThat(cloche.run("suspend", "kept").exitCode()).isZero();
        assertThat(cloche.run("resume", "--disk-only", "kept").exitCode()).isZero();
        assertThat(cloche.run(show).stdout()).isEqualTo("s3cret");
        assertThat(cloche.run("suspend", "kept").exitCode()).isZero();
        assertThat(cloche.run("stop", "kept").exitCode()).isZero();
        assertThat(cloche.run("inspect", "kept").stdout()).contains("stopped");
        assertThat(cloche.run("rm", "kept").exitCode()).isZero();
    }
}
