package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code cloche snapshot}, {@code restore}, {@code fork} and {@code commit} as people type them. */
class SnapshotCommandsIT {
    @TempDir
    Path directory;

    private Program cloche;

    @BeforeEach
    void prepare() {
        cloche = Program.in(directory.resolve("home"));
    }

    @AfterEach
    void nothingRuns() {
        cloche.run("rm", "-f", "parent", "back", "try-1", "try-2");
        assertThat(cloche.vmProcesses()).isEmpty();
    }

    @Test
    void aSandboxIsKeptRestoredAndForked() {
        ok(cloche.run("run", "-q", "-d", "--name", "parent", "-m", "256m", "base", "--", "sleep", "600"), "parent\n");
        ok(cloche.run("exec", "parent", "--", "sh", "-c", "echo here > /tmp/file"), "");
        ok(cloche.run("snapshot", "create", "parent", "kept"), "kept\n");
        Program.Result twice = cloche.run("snapshot", "create", "parent", "kept");
        assertThat(twice.exitCode()).isEqualTo(1);
        assertThat(twice.stderr()).contains("already", "cloche snapshot rm kept");
        assertThat(cloche.run("snapshot", "ls").stdout()).contains("kept", "parent", "base", "memory", "256m");
        assertThat(cloche.run("snapshot", "inspect", "kept").stdout())
                .contains("\"contents\" : \"memory\"", "\"pauseMillis\" : ");
        assertThat(cloche.run("image", "rm", "base").stderr()).contains("snapshot kept");

        ok(cloche.run("restore", "kept", "--name", "back"), "back\n");
        ok(cloche.run("exec", "back", "--", "sh", "-c", "cat /tmp/file; hostname; pidof sleep"), "here\nback\n", 1);
        Program.Result fork =
                cloche.run("fork", "--name", "try", "--rm", "--keep-running", "--format", "json", "parent", "2");
        assertThat(fork.exitCode()).as(fork.stderr()).isZero();
        assertThat(fork.stdout()).contains("\"try-1\", \"try-2\"", "\"pauseMillis\" : ", "\"parent\" : \"parent\"");
        for (String child : List.of("try-1", "try-2")) {
            ok(
                    cloche.run("exec", child, "--", "sh", "-c", "cat /tmp/file; hostname; pidof sleep > /dev/null"),
                    "here\n" + child + "\n");
        }
        Program.Result some = cloche.run("fork", "--each", "--name", "try", "--rm", "--format", "json", "parent", "3");
        assertThat(some.exitCode()).isEqualTo(1);
        assertThat(some.stderr()).contains("\"try-1\"", "\"try-2\"").doesNotContain("try-3");
        assertThat(some.stdout()).contains("\"children\" : [ \"try-3\" ]");
        ok(cloche.run("rm", "--force", "try-3"), "try-3\n");
        // Its main command runs in the child, and ends it.
        cloche.run("exec", "try-1", "--", "killall", "sleep");
        assertThat(cloche.run("wait", "try-1").exitCode()).isIn(0, 1);
        ok(cloche.run("exec", "parent", "--", "hostname"), "parent\n");

        Program.Result made = cloche.run("commit", "-m", "with a file", "parent", "made:1");
        assertThat(made.stdout()).as(made.stderr()).matches("sha256:[0-9a-f]{64}\n");
        ok(cloche.run("commit", "-m", "with a file", "parent", "made:2"), made.stdout());
        ok(cloche.run("run", "-q", "--rm", "made:1", "--", "cat", "/tmp/file"), "here\n");

        ok(cloche.run("stop", "-t", "1s", "parent"), "parent\n");
        assertThat(cloche.run("commit", "parent", "made:3").stderr()).contains("not running", "cloche start parent");
        ok(cloche.run("snapshot", "create", "parent", "disk"), "disk\n");
        assertThat(cloche.run("fork", "parent").stderr()).contains("not running", "cloche start parent");
        ok(cloche.run("snapshot", "rm", "kept", "disk"), "kept\ndisk\n");
        ok(cloche.run("snapshot", "ls", "--format", "json"), "[ ]\n");
        Program.Result gone = cloche.run("restore", "kept");
        assertThat(gone.exitCode()).isEqualTo(1);
        assertThat(gone.stderr()).contains("no snapshot or template named \"kept\"", "cloche snapshot ls");
    }

    private static void ok(Program.Result result, String output) {
        ok(result, output, 0);
    }

    private static void ok(Program.Result result, String output, int exitCode) {
        assertThat(result.exitCode()).as(result.stderr()).isEqualTo(exitCode);
        assertThat(result.stdout()).isEqualTo(output);
    }
}
