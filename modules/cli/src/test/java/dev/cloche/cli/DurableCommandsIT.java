package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.cli.Program.Result;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code cloche exec -d} and {@code cloche process} in a real VM, by programs that are killed. */
class DurableCommandsIT {
    private static final int LINES = 400;

    @TempDir
    static Path home;

    static Program cloche;

    @BeforeAll
    static void start() {
        cloche = Program.in(home);
        done("run", "-d", "--name", "box", "base", "--", "sleep", "600");
    }

    @AfterAll
    static void end() {
        if (cloche != null) {
            cloche.run("rm", "--force", "box");
            assertThat(cloche.vmProcesses()).isEmpty();
        }
    }

    /** Writes a line to each output, slowly enough to be killed meanwhile. */
    private static String counting(String ran) {
        return "echo ran >> /tmp/" + ran + "; i=0; while [ $i -lt " + LINES
                + " ]; do echo line $i; echo error $i >&2; i=$((i+1)); sleep 0.02; done; exit 7";
    }

    private static String lines(String word) {
        return IntStream.range(0, LINES).mapToObj(i -> word + " " + i + "\n").collect(Collectors.joining());
    }

    /** Both at once, for a lease of the dead takes half a minute to run out. */
    @Test
    void commandsRunOnceAndLoseNothingWhoeverOfStarterAndReadersIsKilled() throws Exception {
        Process starter = cloche.start("exec", "-d", "box", "--", "sh", "-c", counting("of-the-dead"));
        await().until(() -> done("process", "ls").stdout().contains("exec-"));
        starter.destroyForcibly().waitFor();
        String ofTheDead = done("process", "ls")
                .stdout()
                .lines()
                .filter(line -> line.startsWith("exec-"))
                .map(line -> line.substring(0, line.indexOf(' ')))
                .findFirst()
                .orElseThrow();

        String id = done("exec", "-d", "box", "--", "sh", "-c", counting("mine"))
                .stdout()
                .strip();
        assertThat(id).matches("exec-[0-9a-f]{16}").isNotEqualTo(ofTheDead);
        Process reader = cloche.start("process", "logs", "-f", id);
        try (BufferedReader out = reader.inputReader()) {
            assertThat(out.readLine()).isEqualTo("line 0");
            assertThat(out.readLine()).isEqualTo("line 1");
            reader.destroyForcibly().waitFor();
        }

        assertThat(cloche.run("process", "logs", "-f", id)).isEqualTo(new Result(0, lines("line"), lines("error")));
        for (String each : new String[] {id, ofTheDead}) {
            assertThat(done("process", "await", "--timeout", "2m", each).stdout())
                    .isEqualTo("{\"type\":\"success\",\"value\":{\"exitCode\":7}}\n");
            assertThat(cloche.run("process", "logs", each)).isEqualTo(new Result(0, lines("line"), lines("error")));
        }
        assertThat(done("exec", "box", "--", "cat", "/tmp/mine", "/tmp/of-the-dead")
                        .stdout())
                .isEqualTo("ran\nran\n");
        assertThat(done("process", "logs", "--tail", "1", "--format", "json", id)
                        .stdout())
                .contains("\"text\":\"");
        assertThat(done("process", "events", id).stdout())
                .contains("exec.starting", "exec.started", "exec.output", "process.completed");
        assertThat(done("system", "prune", "--dry-run").stdout()).contains("process " + id + "\n", ofTheDead);
        assertThat(done("process", "prune").stdout()).contains(id, ofTheDead);
        assertThat(cloche.run("process", "logs", id).stderr()).contains("process \"" + id + "\" was pruned");
    }

    @Test
    void aCommandIsCancelledAndOneThatCannotStartSaysSo() {
        String id = done("exec", "-d", "-e", "WHO=me", "box", "--", "sh", "-c", "echo $WHO; sleep 600")
                .stdout()
                .strip();
        done("process", "cancel", "--reason", "enough", id);
        Result ended = cloche.run("process", "await", "--timeout", "2m", id);
        assertThat(ended.exitCode()).isEqualTo(1);
        assertThat(ended.stdout()).contains("\"message\":\"enough\"", "\"signal\":15");
        assertThat(done("process", "logs", id).stdout()).isEqualTo("me\n");

        Result missing = cloche.run("exec", "-d", "box", "--", "no-such-program");
        Result attached = cloche.run("exec", "box", "--", "no-such-program");
        assertThat(missing.exitCode()).isEqualTo(127).isEqualTo(attached.exitCode());
        assertThat(missing.stderr().lines().findFirst())
                .isEqualTo(attached.stderr().lines().findFirst());
        String failed = missing.stdout().strip();
        assertThat(missing.stderr()).contains("no-such-program", "cloche process inspect " + failed);
        Result awaited = cloche.run("process", "await", failed);
        assertThat(awaited.exitCode()).isEqualTo(127);
        assertThat(awaited.stdout()).contains("\"code\":\"vm.spawn.command-not-found\"", "\"raw\":{\"exitCode\":127}");
        assertThat(done("process", "inspect", failed).stdout()).contains("\"exitCode\":127");

        Result notExecutable = cloche.run("exec", "-d", "box", "--", "/etc/passwd");
        assertThat(notExecutable.exitCode()).isEqualTo(126);
        assertThat(cloche.run("process", "await", notExecutable.stdout().strip())
                        .exitCode())
                .isEqualTo(126);
        assertThat(cloche.run("exec", "-d", "-u", "nobody-knows", "box", "--", "true")
                        .exitCode())
                .isEqualTo(125);
    }

    private static Result done(String... arguments) {
        Result result = cloche.run(arguments);
        assertThat(result.exitCode()).as(result.stderr()).isZero();
        return result;
    }
}
