package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.machine.MachineState;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A stop asks first, waits for processes that are ending, and tells which ones it had to kill. */
class MachineStopIT extends MachinesInVms {
    private static final String DEAF = "trap '' TERM";

    @Test
    void commandsAreAskedAndWhoDoesNotEndInTimeIsKilledAndThatIsRecorded() throws IOException {
        small("dev").make();
        try (Machine machine = machines.start("dev");
                Execution polite = command(machine, politely("/root/asked"))) {
            machines.stop("dev", GRACE);
            assertThat(polite.await().success()).isTrue();
        }
        assertThat(machines.get("dev").lastEnd()).contains("it was shut down");

        try (Machine machine = machines.start("dev");
                Execution _ = command(machine, DEAF)) {
            assertThat(machines.get("dev").lastEnd()).isEmpty();
            assertThat(machine.files().readString("/root/asked")).isEqualTo("asked\n");
            machines.stop("dev", Duration.ofSeconds(1));
        }
        assertHadToBeKilled("a program");
    }

    @Test
    void whatCommandsLeftBehindIsAskedTooAndKeepsWhatItWritesThen() {
        small("dev").make();
        try (Machine machine = machines.start("dev")) {
            daemon(machine, politely("/root/first"));
            daemon(machine, politely("/root/second"));
            machines.stop("dev", GRACE);
        }
        assertThat(machines.get("dev").lastEnd()).contains("it was shut down");

        try (Machine machine = machines.start("dev")) {
            assertThat(machine.files().readString("/root/first")).isEqualTo("asked\n");
            assertThat(machine.files().readString("/root/second")).isEqualTo("asked\n");
            daemon(machine, DEAF);
            daemon(machine, DEAF);
            machines.stop("dev", Duration.ofSeconds(1));
        }
        assertHadToBeKilled("2 programs");
    }

    /** Killed after it had asked, or before: neither loses the word of the daemon, nor how the machine ended. */
    @Test
    void whoeverStopsItMayBeKilledMeanwhile() throws Exception {
        small("dev").make();
        try (Machine machine = machines.start("dev")) {
            daemon(machine, "trap 'sleep 2; echo asked >/root/asked; exit 0' TERM");
        }
        Process stopping = anotherProcess(StoppingProcess.class, "dev");
        try {
            Awaitility.await()
                    .until(() -> EnumSet.of(MachineState.STOPPING, MachineState.STOPPED)
                            .contains(machines.get("dev").state()));
        } finally {
            stopping.destroyForcibly().waitFor();
        }
        var _ = machines.recover();
        assertThat(machines.get("dev").state()).isEqualTo(MachineState.STOPPED);
        assertThat(machines.get("dev").lastEnd()).contains("it was shut down");
        try (Machine machine = machines.start("dev")) {
            assertThat(machine.files().readString("/root/asked")).isEqualTo("asked\n");
        }
    }

    @Test
    void aSandboxIsStoppedLikewise() {
        var _ = cloche.sandbox("base")
                .name("box")
                .memoryMib(256)
                .command("sleep", "1000000")
                .detached()
                .start();
        try (Sandbox sandbox = cloche.connect("box")) {
            String daemon = detached(politely("/root/asked"));
            assertThat(sandbox.exec("sh", "-c", daemon).exitCode()).isZero();
        }
        cloche.sandboxes().stop("box", GRACE);
        var _ = cloche.sandboxes().start("box");
        try (Sandbox again = cloche.connect("box")) {
            assertThat(again.exec("cat", "/root/asked").stdoutText()).isEqualTo("asked\n");
        }
        cloche.sandboxes().remove("box", true);
    }

    private void assertHadToBeKilled(String whom) {
        MachineInfo stopped = machines.get("dev");
        String how = whom + " in it had not ended 1 second after the stop, and had to be killed";
        assertThat(stopped.state()).isEqualTo(MachineState.STOPPED);
        assertThat(stopped.lastError()).isEmpty();
        assertThat(stopped.lastEnd()).contains(how);
        assertThat(stopped.directory().resolve("config.toml")).content().contains("last_end = \"" + how + "\"");
    }

    /** What leaves a word when it is asked. */
    private static String politely(String file) {
        return "trap 'echo asked >" + file + "; exit 0' TERM";
    }

    /** A command that waits for signals, and does so already. */
    private static Execution command(Machine machine, String trap) throws IOException {
        Execution execution =
                machine.command("sh", "-c", waiting(trap, "echo up")).start();
        assertThat(execution.stdout().readNBytes(3)).isEqualTo("up\n".getBytes(StandardCharsets.US_ASCII));
        return execution;
    }

    private static void daemon(Machine machine, String trap) {
        assertThat(machine.exec("sh", "-c", detached(trap)).exitCode()).isZero();
    }

    /** A shell that ends once a daemon of its, in a session of its own, waits for signals. */
    private static String detached(String trap) {
        String daemon = waiting(trap, "echo >/run/up");
        return "set -e; rm -f /run/up; mkfifo /run/up; setsid sh -c \"" + daemon + "\" </dev/null >/dev/null 2>&1 &"
                + " cat /run/up";
    }

    /** One process, if it does not hear. */
    private static String waiting(String trap, String word) {
        String life = trap.equals(DEAF) ? "exec sleep 1000" : "while :; do sleep 0.1; done";
        return trap + "; " + word + "; " + life;
    }
}
