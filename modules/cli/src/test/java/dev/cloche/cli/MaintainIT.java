package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.cli.Program.Result;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What dead processes leave, and who takes it over. */
class MaintainIT {
    @TempDir
    static Path home;

    static Program cloche;

    @BeforeAll
    static void install() {
        cloche = Program.in(home);
    }

    @Test
    void whatAKilledClientLeavesIsForetoldAndTakenAway() throws Exception {
        Process client = cloche.start("run", "--rm", "--name", "left", "base", "--", "sh", "-c", "echo up; sleep 600");
        assertThat(lines(client).readLine()).isEqualTo("up");
        Program.signal(client, "KILL");
        assertThat(client.waitFor(5, TimeUnit.MINUTES)).isTrue();

        assertThat(cloche.run("maintain", "--dry-run").stdout()).contains("SANDBOX", "ACTION", "left", "wait");
        // Its guard ends it after its grace.
        await().until(() -> cloche.vmProcesses().isEmpty());
        String plan = cloche.run("maintain", "--dry-run", "--format", "json").stdout();
        assertThat(plan).contains("\"sandbox\" : \"left\"", "\"action\" : \"reconcile\"");
        assertThat(cloche.run("maintain", "--dry-run", "--format", "json").stdout())
                .as("a plan changes nothing")
                .isEqualTo(plan);

        Result done = cloche.run("maintain", "--format", "json");
        assertThat(done.exitCode()).isZero();
        assertThat(done.stdout())
                .contains(
                        "\"swept\" : true",
                        "\"reconciled\" : 1",
                        "\"removed\" : 1",
                        "\"suspended\" : 0",
                        "\"errors\" : 0");
        assertThat(cloche.run("maintain"))
                .isEqualTo(new Result(0, "recorded 0 ends, removed 0 sandboxes, 0 resisted\n", ""));
        assertThat(cloche.vmDirectories()).isEmpty();
        assertThat(cloche.run("events", "--since", "1h", "--no-follow", "--filter", "sandbox=left")
                        .stdout())
                .contains("crashed left", "removed left");
    }

    @Test
    void whenAKeeperIsKilledTheOtherTakesOver() throws Exception {
        Process events =
                cloche.start("events", "--since", "1h", "--filter", "sandbox=kept", "--filter", "event=adopted");
        Process first = cloche.start("keep");
        BufferedReader adopted = lines(events);
        try {
            cloche.run("run", "-d", "--name", "kept", "base", "--", "sleep", "600");
            assertThat(adopted.readLine()).contains("adopted kept");
            Process second = cloche.start("keep");
            try {
                Program.signal(first, "KILL");
                assertThat(adopted.readLine()).contains("adopted kept");
                assertThat(cloche.run("exec", "kept", "--", "echo", "here").stdout())
                        .isEqualTo("here\n");
            } finally {
                second.destroy();
                assertThat(second.waitFor(5, TimeUnit.MINUTES)).isTrue();
            }
            assertThat(cloche.run("rm", "-f", "kept").exitCode()).isZero();
        } finally {
            first.destroy();
            events.destroy();
            assertThat(first.waitFor(5, TimeUnit.MINUTES)).isTrue();
            assertThat(events.waitFor(5, TimeUnit.MINUTES)).isTrue();
        }
    }

    private static BufferedReader lines(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }
}
