package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.cli.Program.Result;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code cloche template} as people type it. */
class TemplateCommandsIT {
    @TempDir
    Path home;

    private Program cloche;

    @BeforeEach
    void install() {
        cloche = Program.in(home);
    }

    @AfterEach
    void nothingRuns() {
        assertThat(cloche.vmProcesses()).isEmpty();
    }

    private String done(String... words) {
        Result result = cloche.run(words);
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        return result.stdout();
    }

    @Test
    void aTemplateIsMadeOnceUsedListedRemovedAndPruned() {
        String name = done("template", "make", "-q", "-m", "256m", "base").strip();
        assertThat(done("template", "make", "-q", "-m", "256m", "base").strip()).isEqualTo(name);
        assertThat(done("template", "ls")).contains(name, "256m");
        assertThat(done("template", "inspect", name))
                .contains("\"name\" : \"" + name + "\"", "\"memoryMib\" : 256", "\"cpus\" : 1", "\"usable\" : true");
        Result restored = cloche.run("run", "--format", "json", "-m", "256m", "base", "--", "true");
        assertThat(restored.stderr()).contains("\"kind\":\"restored\"");

        // What lives from it keeps it.
        done("run", "-q", "-d", "--rm", "--name", "user", "-m", "256m", "base", "--", "sleep", "600");
        assertThat(cloche.run("template", "rm", name).stderr())
                .contains("Stop the VMs that were restored from it first");
        assertThat(done("template", "prune")).isEmpty();
        done("rm", "--force", "user");

        assertThat(done("template", "prune", "--unused-for", "1h")).isEmpty();
        assertThat(done("template", "prune", "--format", "json")).contains(name);
        assertThat(done("template", "ls", "--format", "json").strip()).isEqualTo("[ ]");
        String again = done("template", "make", "-q", "-m", "256m", "base").strip();
        assertThat(again).isEqualTo(name);
        done("template", "rm", name);
        Result gone = cloche.run("template", "inspect", name);
        assertThat(gone.exitCode()).isEqualTo(1);
        assertThat(gone.stderr()).contains(name, "cloche template ls");
    }
}
