package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What changes in a sandbox's files, as it is printed in a shell. */
class WatchIT extends OnOneHome {
    @BeforeEach
    void runs() {
        assertThat(cloche.run(
                                "run",
                                "-d",
                                "--name",
                                "box",
                                "base",
                                "--",
                                "sh",
                                "-c",
                                "mkdir -p /work/below; exec sleep 9999")
                        .exitCode())
                .isZero();
        exec("until [ -d /work/below ]; do :; done");
    }

    @AfterEach
    void isRemoved() {
        cloche.run("rm", "-f", "box");
    }

    private static void exec(String script) {
        assertThat(cloche.run("exec", "box", "--", "sh", "-c", script).exitCode())
                .isZero();
    }

    @Test
    void aTreeIsToldUntilItIsGone() throws Exception {
        Process watch = cloche.start("watch", "-r", "box", "/work");
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(watch.getInputStream(), StandardCharsets.UTF_8))) {
            // Nothing says when it has begun but that it tells.
            exec("until [ -e /stop ]; do echo x >/work/below/again; sleep 0.1; done &");
            await(lines, "written below/again");
            exec("touch /stop; mkdir /work/new; echo x >/work/new/file");
            // A file that has left a new directory before that is watched is not told by its first name.
            await(lines, "created new/file");
            exec("mv /work/new/file /work/moved");
            await(lines, "renamed new/file");
            await(lines, "created moved");
            exec("rm -r /work");
            await(lines, "removed");
            assertThat(lines.readLine()).isNull();
            assertThat(watch.waitFor(5, TimeUnit.MINUTES)).isTrue();
            assertThat(watch.exitValue()).isZero();
        } finally {
            watch.destroyForcibly();
        }
    }

    private static void await(BufferedReader lines, String wanted) throws IOException {
        String line = lines.readLine();
        while (!wanted.equals(line)) {
            assertThat(line).as("before " + wanted).isNotNull();
            line = lines.readLine();
        }
    }

    @Test
    void jsonHasWhatAFileIsAndAnEndOfTheSandboxIsNamed() throws Exception {
        Process watch = cloche.start("watch", "--format", "json", "box", "/work");
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(watch.getInputStream(), StandardCharsets.UTF_8))) {
            exec("until [ -e /stop ]; do echo 12345 >>/work/file; sleep 0.1; done &");
            assertThat(lines.readLine())
                    .startsWith("{\"event\":\"")
                    .contains("\"name\":\"file\"", "\"kind\":\"file\"", "\"size\":", "\"modified\":\"2");
            assertThat(cloche.run("kill", "box").exitCode()).isZero();
            assertThat(Program.text(watch.getErrorStream()))
                    .startsWith("cloche: The sandbox \"box\"")
                    .doesNotContain("\tat ");
            assertThat(watch.waitFor()).isEqualTo(1);
        } finally {
            watch.destroyForcibly();
        }
    }

    @Test
    void whatCannotBeWatchedIsNamed() {
        Program.Result file = cloche.run("watch", "box", "/etc/passwd");
        assertThat(file.exitCode()).isEqualTo(1);
        assertThat(file.stderr()).contains("'/etc/passwd' is no directory");
        assertThat(cloche.run("watch", "box", "work").stderr()).contains("Use an absolute path");
        assertThat(cloche.run("watch", "none", "/").stderr()).contains("no sandbox named");
    }
}
