package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.cli.Program.Result;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The control groups of VMs, where all controllers are to be had: in a guest, which is the host of a guard there, whose program is one
 * that takes what it gets. This host may have none.
 */
class ControlGroupIT extends OnOneHome {
    @TempDir
    static Path built;

    private static void given(Result result) {
        assertThat(result.exitCode()).as(result.toString()).isZero();
    }

    /** What it writes to its memory would count as that of the groups, so it has a disk. */
    @Test
    void aGroupBoundsWhatIsTakenAndLeavesNothing() throws Exception {
        List<Path> programs = GuardPrograms.make(built);
        given(cloche.run(
                "run",
                "-q",
                "-d",
                "--memory",
                "512m",
                "--disk",
                "1g",
                "--name",
                "host",
                "base",
                "--",
                "sleep",
                "10000"));
        given(cloche.run("exec", "host", "--", "mkdir", "/opt"));
        for (Path file : programs) {
            given(cloche.run("cp", file.toString(), "host:/opt/" + file.getFileName()));
        }

        Result said = cloche.run("exec", "host", "--", "sh", "/opt/group.sh", "/opt", "/sys/fs/cgroup");

        assertThat(said.exitCode()).as(said.toString()).isZero();
        assertThat(said.stdout()).as("nothing is skipped").isEqualTo("ok\n");
        given(cloche.run("rm", "-f", "host"));
    }
}
