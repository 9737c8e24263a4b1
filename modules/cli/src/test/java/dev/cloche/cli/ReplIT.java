package dev.cloche.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.TestImage;
import dev.cloche.cli.Program.Result;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code cloche repl} in a sandbox that gets this host's Python, and has a shell. */
class ReplIT {
    @TempDir
    static Path home;

    static Program cloche;

    @TempDir
    Path directory;

    @BeforeAll
    static void begin() throws Exception {
        Assumptions.assumeTrue(TestImage.hasPython(), "python3 is not on this host");
        cloche = Program.in(home.resolve("state"));
        well(
                "image",
                "load",
                "-q",
                "--name",
                "python",
                TestImage.withPython(home.resolve("image")).toString());
        well("run", "-d", "--name", "dev", "python", "--", "sleep", "100000");
    }

    private static void well(String... arguments) {
        Result result = cloche.run(arguments);
        assertThat(result.exitCode()).as(result.stderr()).isZero();
    }

    @AfterAll
    static void end() {
        if (cloche != null) {
            cloche.run("rm", "-f", "dev");
        }
    }

    @Test
    void standardInputIsOneCell() {
        Result result = cloche.run("x = 6\nprint('out')\nx * 7\n".getBytes(UTF_8), "repl", "--sandbox", "dev");
        assertThat(result.stdout()).isEqualTo("out\n42\n");
        assertThat(result.stderr()).isEmpty();
        assertThat(result.exitCode()).isZero();
    }

    @Test
    void anErrorOfAFileIsOne() throws Exception {
        Path file = Files.writeString(directory.resolve("file.py"), "print('before')\n1 / 0\n");
        Result result = cloche.run("repl", "--sandbox", "dev", file.toString());
        assertThat(result.stdout()).isEqualTo("before\n");
        assertThat(result.stderr()).isEqualTo("""
                  <cell 1>, line 2, in <module>
                    1 / 0
                ZeroDivisionError: division by zero
                """);
        assertThat(result.exitCode()).isEqualTo(1);
    }

    @Test
    void codeThatTakesTooLongOrEndsItsProcessIsSaid() {
        Result late = cloche.run(
                "print('on')\nwhile True: pass\n".getBytes(UTF_8), "repl", "--sandbox", "dev", "--timeout", "1s");
        // On a busy host it did not get so far.
        assertThat(late.stdout()).isIn("on\n", "");
        assertThat(late.stderr()).contains("KeyboardInterrupt\n", "cloche: The cell took longer than 1s and was");
        assertThat(late.exitCode()).isEqualTo(124);
        Result gone = cloche.run("import os; os._exit(3)".getBytes(UTF_8), "repl", "--sandbox", "dev");
        assertThat(gone.stderr())
                .isEqualTo("cloche: The process of the context ended with exit code 3. Its variables are lost.\n");
        assertThat(gone.exitCode()).isEqualTo(1);
    }

    @Test
    void aShellRunsAScriptOrLineByLine() throws Exception {
        Path script = Files.writeString(directory.resolve("file.sh"), "set -eu\necho before\nfalse\necho after\n");
        Result result = cloche.run("repl", "--language", "shell", "--sandbox", "dev", script.toString());
        assertThat(result.stdout()).isEqualTo("before\n");
        assertThat(result.stderr())
                .isEqualTo("cloche: The process of the context ended with exit code 1. Its variables are lost.\n");
        assertThat(result.exitCode()).isEqualTo(1);
        Process repl = cloche.startOnTerminal("repl", "--language", "shell", "--sandbox", "dev");
        StringBuffer screen = new StringBuffer();
        Thread reader = watch(repl, screen);
        try (OutputStream in = repl.getOutputStream()) {
            see(screen, "Shell in a sandbox\r\n>>> ");
            in.write("x=on\nif [ $x ]; then\necho ${x}ward\nfi\n".getBytes(UTF_8));
            in.flush();
            see(screen, "onward\r\n>>> ");
            in.write("(exit 3)\n".getBytes(UTF_8));
            in.flush();
            see(screen, "ExitStatus: 3\r\n>>> ");
            in.write("echo wait${x}ing; sleep 1000\n".getBytes(UTF_8));
            in.flush();
            see(screen, "waitoning");
            in.write(3);
            in.flush();
            see(screen, "The cell was interrupted.\r\n>>> ");
            in.write(4);
            in.flush();
            assertThat(repl.waitFor(5, TimeUnit.MINUTES)).isTrue();
            assertThat(repl.exitValue()).isZero();
        } finally {
            repl.destroyForcibly();
        }
        reader.join();
    }

    @Test
    void ctrlCInterruptsTheCode() throws Exception {
        Process repl = cloche.start("repl", "--sandbox", "dev");
        try (BufferedReader lines = repl.inputReader()) {
            try (OutputStream in = repl.getOutputStream()) {
                in.write("import time\nprint('on')\ntime.sleep(1000)".getBytes(UTF_8));
            }
            assertThat(lines.readLine()).isEqualTo("on");
            Program.signal(repl, "INT");
            assertThat(repl.waitFor(5, TimeUnit.MINUTES)).isTrue();
            assertThat(repl.exitValue()).isEqualTo(130);
        } finally {
            repl.destroyForcibly();
        }
    }

    @Test
    void aTerminalHasAPrompt() throws Exception {
        Process repl = cloche.startOnTerminal("repl", "--sandbox", "dev");
        StringBuffer screen = new StringBuffer();
        Thread reader = watch(repl, screen);
        try (OutputStream in = repl.getOutputStream()) {
            see(screen, ">>> ");
            in.write("def f(x):\n    return x * 7\n\nf(6)\n".getBytes(UTF_8));
            in.flush();
            see(screen, "42\r\n>>> ");
            in.write("f(\n".getBytes(UTF_8));
            in.flush();
            see(screen, "f(\r\n... ");
            in.write(3);
            in.flush();
            see(screen, "^C\r\n>>> ");
            in.write("import time; print('on' + 'ward'); time.sleep(1000)\n".getBytes(UTF_8));
            in.flush();
            see(screen, "onward");
            in.write(3);
            in.flush();
            see(screen, "KeyboardInterrupt\r\n");
            see(screen, "The cell was interrupted.\r\n>>> ");
            in.write("f(1)\n".getBytes(UTF_8));
            in.flush();
            see(screen, "7\r\n>>> ");
            in.write(4);
            in.flush();
            assertThat(repl.waitFor(5, TimeUnit.MINUTES)).isTrue();
            assertThat(repl.exitValue()).isZero();
        } finally {
            repl.destroyForcibly();
        }
        reader.join();
    }

    private static Thread watch(Process repl, StringBuffer screen) {
        return Thread.ofVirtual().start(() -> {
            try (InputStream out = repl.getInputStream()) {
                byte[] bytes = new byte[4096];
                for (int n = out.read(bytes); n >= 0; n = out.read(bytes)) {
                    screen.append(new String(bytes, 0, n, UTF_8));
                }
            } catch (IOException ended) {
                // With its process.
            }
        });
    }

    private static void see(StringBuffer screen, String text) {
        Awaitility.await().untilAsserted(() -> assertThat(screen.toString()).contains(text));
    }

    @Test
    void aModuleIsImportedBeforeTheCode() {
        String code = "import sys\n'fractions' in sys.modules, 'statistics' in sys.modules";
        Result result = cloche.run(
                code.getBytes(UTF_8),
                "repl",
                "-q",
                "--image",
                "python",
                "--import",
                "fractions",
                "--import",
                "statistics");
        assertThat(result).isEqualTo(new Result(0, "(True, True)\n", ""));
        Result without =
                cloche.run("import sys\n'fractions' in sys.modules".getBytes(UTF_8), "repl", "--sandbox", "dev");
        assertThat(without.stdout()).isEqualTo("False\n");
        Result missing = cloche.run(new byte[0], "repl", "-q", "--image", "python", "--import", "nope");
        assertThat(missing.stderr()).contains("nope");
        assertThat(missing.exitCode()).isEqualTo(1);
    }

    @Test
    void whatDoesNotGoIsRefused() {
        Result image = cloche.run(new byte[0], "repl");
        assertThat(image.stderr()).startsWith("cloche: No image is named for Python.");
        assertThat(image.exitCode()).isEqualTo(1);
        Result without = cloche.run(new byte[0], "repl", "--image", "base");
        assertThat(without.stderr()).contains("has no program python3");
        assertThat(without.exitCode()).isEqualTo(1);
        Result unknown = cloche.run(new byte[0], "repl", "--language", "cobol");
        assertThat(unknown.stderr()).contains("no language 'cobol'", "Give one of: python, javascript, java, shell.");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(cloche.run(new byte[0], "repl", "--sandbox", "dev", "--image", "base")
                        .exitCode())
                .isEqualTo(2);
        Result running = cloche.run(new byte[0], "repl", "--sandbox", "dev", "--import", "json");
        assertThat(running.stderr()).contains("--import is of a new sandbox");
        assertThat(running.exitCode()).isEqualTo(2);
        Result javascript =
                cloche.run(new byte[0], "repl", "--image", "python", "--language", "javascript", "--import", "fs");
        assertThat(javascript.stderr()).contains("share no modules");
        assertThat(javascript.exitCode()).isEqualTo(1);
        assertThat(cloche.run("repl", "--sandbox", "dev", "/none.py").exitCode())
                .isEqualTo(2);
    }
}
