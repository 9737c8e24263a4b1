package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.cli.Program.Result;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The main cases as a user who is not root. */
class OrdinaryUserIT {
    @TempDir
    static Path home;

    static Program cloche;

    @BeforeAll
    static void install() throws Exception {
        cloche = Program.asOrdinaryUser(home);
    }

    @Test
    void runsACommandAsRootOfTheGuest() {
        assertThat(cloche.run("run", "base", "--", "sh", "-c", "id -un; exit 3"))
                .isEqualTo(new Result(3, "root\n", ""));
    }

    @Test
    void startsUsesAndStopsADetachedSandbox() {
        assertThat(cloche.run("run", "-d", "--name", "mine", "base", "--", "sleep", "600")
                        .stdout())
                .isEqualTo("mine\n");
        assertThat(cloche.run("exec", "mine", "--", "echo", "here").stdout()).isEqualTo("here\n");
        assertThat(cloche.run("stop", "-t", "1s", "mine").exitCode()).isZero();
        assertThat(cloche.run("rm", "mine").exitCode()).isZero();
        await().until(() -> cloche.vmProcesses().isEmpty());
    }

    @Test
    void doctorFindsNothingThatKeepsSandboxesFromRunning() {
        Result doctor = cloche.run("doctor");
        assertThat(doctor.exitCode()).as(doctor.stdout()).isZero();
    }
}
