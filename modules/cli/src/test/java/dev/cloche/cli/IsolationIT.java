package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.cli.Program.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the walls around QEMU are asked for, on this host and on one that forbids user namespaces. */
class IsolationIT {
    private static final List<String> WITHOUT_NAMESPACES = List.of(
            "unshare",
            "--user",
            "--map-current-user",
            "--keep-caps",
            "sh",
            "-c",
            "echo 0 >/proc/sys/user/max_user_namespaces && exec \"$@\"",
            "sh");

    @TempDir
    Path home;

    private Program cloche;
    private Program confined;

    @BeforeEach
    void install() {
        cloche = Program.in(home);
        confined = cloche.within(WITHOUT_NAMESPACES);
        Assumptions.assumeTrue(confined.run("--version").exitCode() == 0, "no user namespace can be made here");
        Assumptions.assumeTrue(cloche.run("doctor").stdout().contains("full: QEMU has"), "this host lacks full");
        Assumptions.assumeTrue(confined.run("doctor").stdout().contains("sealed: "), "and has no seal without it");
    }

    @AfterEach
    void nothingIsLeftBehind() throws IOException {
        assertThat(cloche.run("ps", "-a", "--format", "json").stdout().strip()).isEqualTo("[ ]");
        assertThat(cloche.vmProcesses()).isEmpty();
        assertThat(cloche.vmDirectories()).isEmpty();
    }

    @Test
    void doctorFailsWithoutWhatIsRequired() {
        assertThat(cloche.run("doctor", "--require", "sealed,full").exitCode()).isZero();
        assertThat(confined.run("doctor", "--require", "sealed").exitCode()).isZero();

        Result lacking = confined.run("doctor", "--require", "FULL");
        assertThat(lacking.exitCode()).isEqualTo(1);
        assertThat(lacking.stdout())
                .containsPattern("FAILURE +isolation +sealed: ")
                .contains("user namespaces");

        Result unknown = cloche.run("doctor", "--require", "walls");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.stderr()).contains("walls");
    }

    private String inspected(String sandbox) {
        return cloche.run("inspect", "--format", "json", sandbox).stdout();
    }

    private static void refused(Result result) {
        assertThat(result.exitCode()).isNotZero();
        assertThat(result.stderr()).contains("The isolation full is not to be had", "docs/security.md");
    }

    @Test
    void aLevelThatIsNotToBeHadIsRefusedAndNothingIsWritten() {
        refused(confined.run("run", "--isolation", "full", "base", "--", "true"));
        assertThat(confined.run("run", "--isolation", "sealed", "base", "--", "echo", "sealed"))
                .isEqualTo(new Result(0, "sealed\n", ""));
        assertThat(confined.run("run", "--isolation", "best", "base").stderr())
                .contains("auto, reduced, sealed or full");
    }

    @Test
    void aSandboxKeepsItsLevelOverStartsAndItsForksHaveItToo() {
        assertThat(cloche.run(
                                "run",
                                "-d",
                                "--name",
                                "mine",
                                "--isolation",
                                "full",
                                "-m",
                                "128m",
                                "base",
                                "--",
                                "sleep",
                                "600")
                        .exitCode())
                .isZero();
        assertThat(inspected("mine")).contains("\"isolation\" : \"full\"", "\"level\" : \"full\"");
        assertThat(cloche.run("fork", "mine", "--name", "child").exitCode()).isZero();
        assertThat(inspected("child-1")).contains("\"isolation\" : \"full\"");
        assertThat(cloche.run("stop", "-t", "1s", "mine", "child-1").exitCode()).isZero();
        refused(confined.run("start", "mine"));
        assertThat(cloche.run("start", "mine").exitCode()).isZero();
        assertThat(inspected("mine")).contains("\"level\" : \"full\"");
        assertThat(cloche.run("rm", "-f", "mine", "child-1").exitCode()).isZero();
    }

    @Test
    void theConfigurationIsRaisedAndNotLowered() throws IOException {
        Files.writeString(home.resolve("config.toml"), "isolation = \"full\"\n");
        refused(confined.run("run", "base", "--", "true"));
        refused(confined.run("run", "--isolation", "reduced", "base", "--", "true"));
        Files.writeString(home.resolve("config.toml"), "isolation = \"sealed\"\n");
        assertThat(confined.run("run", "--isolation", "reduced", "base", "--", "true"))
                .isEqualTo(new Result(0, "", ""));
        refused(confined.run("run", "--isolation", "full", "base", "--", "true"));
        Files.writeString(home.resolve("config.toml"), "isolation = \"none\"\n");
        assertThat(cloche.run("run", "base", "--", "true").stderr()).contains("line 1: \"isolation\" is no level");
        Files.delete(home.resolve("config.toml"));
    }

    @Test
    void aVmOfAPoolBehindLowerWallsDoesNotFit() {
        assertThat(confined.run("pool", "set", "base", "-m", "256m", "--depth", "1")
                        .exitCode())
                .isZero();
        assertThat(confined.run("pool", "fill", "-q")).isEqualTo(new Result(0, "", ""));
        List<String> run = List.of("run", "--format", "json", "-m", "256m", "base", "--", "true");
        String full = cloche.run(with(run, "full")).stderr();
        assertThat(full).contains("lower than is asked for").doesNotContain("\"kind\":\"warm\"");
        assertThat(cloche.run(with(run, "sealed")).stderr()).contains("\"kind\":\"warm\"");
        assertThat(cloche.run("pool", "rm", "base", "-m", "256m").exitCode()).isZero();
    }

    private static String[] with(List<String> run, String level) {
        List<String> words = new ArrayList<>(run);
        words.addAll(1, List.of("--isolation", level));
        return words.toArray(String[]::new);
    }

    @Test
    void aMachineHasItsLevelInItsFile() throws IOException {
        Path file =
                Files.writeString(home.resolve("dev.toml"), "name = \"dev\"\nimage = \"base\"\nisolation = \"full\"\n");
        assertThat(cloche.run("machine", "apply", file.toString()).exitCode()).isZero();
        assertThat(home.resolve("machines/dev/config.toml")).content().contains("isolation = \"full\"");
        assertThat(cloche.run("machine", "inspect", "--format", "json", "dev").stdout())
                .contains("\"isolation\" : \"full\"");
        refused(confined.run("machine", "start", "dev"));
        assertThat(cloche.run("machine", "start", "dev").exitCode()).isZero();
        assertThat(cloche.run("machine", "rm", "-f", "dev").exitCode()).isZero();
    }
}
