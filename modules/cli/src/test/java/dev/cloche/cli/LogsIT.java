package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.cli.Program.Result;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a detached command writes, while it runs and after its end. */
class LogsIT {
    @TempDir
    static Path home;

    static Program cloche;

    @BeforeAll
    static void install() {
        cloche = Program.in(home);
    }

    @AfterEach
    void end() {
        cloche.run("rm", "--force", "box");
        assertThat(cloche.vmProcesses()).isEmpty();
    }

    private void detached(String script) {
        assertThat(cloche.run("run", "-d", "--name", "box", "base", "--", "sh", "-c", script)
                        .exitCode())
                .isZero();
    }

    private void awaitEnd() {
        Awaitility.await().until(() -> cloche.run("ps", "-a").stdout().contains("stopped"));
    }

    @Test
    void bothOutputsAreKeptApartAndOutliveTheVm() {
        detached("echo one; echo two >&2; echo three; exit 3");
        awaitEnd();
        assertThat(cloche.run("logs", "box")).isEqualTo(new Result(0, "one\nthree\n", "two\n"));
        assertThat(cloche.run("logs", "--tail", "1", "box")).isEqualTo(new Result(0, "three\n", ""));
        assertThat(cloche.run("logs", "--since", "1h", "box").stdout()).isEqualTo("one\nthree\n");
        assertThat(cloche.run("logs", "--since", "2100-01-01", "box")).isEqualTo(new Result(0, "", ""));
        assertThat(cloche.run("logs", "-t", "box").stdout())
                .matches("(?s)20\\d\\d-\\d\\d-\\d\\dT\\S+Z one\n20\\S+Z three\n");
        assertThat(cloche.run("logs", "--format", "json", "--tail", "1", "box").stdout())
                .contains("\"stream\":\"stdout\",\"text\":\"three\\n\"");
    }

    @Test
    void aReaderThatFollowsSeesTheEnd() throws Exception {
        detached("echo begun; while ! [ -e /tmp/go ]; do sleep 0.1; done; echo over");
        Process follower = cloche.start("logs", "-f", "box");
        try (BufferedReader out = follower.inputReader()) {
            assertThat(out.readLine()).isEqualTo("begun");
            // The sandbox may end before this command can tell how it ended itself.
            cloche.run("exec", "box", "--", "touch", "/tmp/go");
            assertThat(out.readLine()).isEqualTo("over");
            assertThat(out.readLine()).isNull();
        }
        assertThat(follower.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(follower.exitValue()).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"table", "json"})
    void aFollowerWhoseReaderHasGoneEnds(String format) throws Exception {
        detached("while echo again; do sleep 0.1; done");
        Process follower = cloche.start("logs", "-f", "--format", format, "box");
        try (BufferedReader out = follower.inputReader()) {
            assertThat(out.readLine()).contains("again");
        }
        assertThat(follower.waitFor(5, TimeUnit.MINUTES)).isTrue();
        assertThat(follower.exitValue()).isZero();
    }

    @Test
    void aFloodIsBoundedAndWhatIsMissingIsTold() {
        detached("dd if=/dev/zero bs=64k count=320 2>/dev/null; echo; echo the end");
        awaitEnd();
        Result logs = cloche.run("logs", "--tail", "1", "box");
        assertThat(logs.stdout()).isEqualTo("the end\n");
        assertThat(logs.stderr()).contains("are not kept any more");
    }

    @Test
    void whatIsNotLoggedIsSaid() throws IOException {
        assertThat(cloche.run("logs", "nobody").stderr()).contains("There is no sandbox named \"nobody\".");
        assertThat(cloche.run("run", "--name", "box", "base", "--", "true").exitCode())
                .isZero();
        Result refused = cloche.run("logs", "box");
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.stderr()).contains("keeps no log");
        assertThat(cloche.run("logs", "--tail", "-1", "box").exitCode()).isEqualTo(2);
    }
}
