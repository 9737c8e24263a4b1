package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.cli.Program.Result;
import dev.cloche.image.LocalRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logging in with the real program, to a real registry. */
class LoginIT {
    @TempDir
    Path root;

    @Test
    void aLoginIsVerifiedAndKeptAndForgotten() throws Exception {
        Program cloche = Program.in(root.resolve("home"));
        Assumptions.assumeTrue(
                LocalRegistry.missing().isEmpty(), () -> LocalRegistry.missing().orElseThrow());
        try (LocalRegistry registry = LocalRegistry.startForAlice(root.resolve("registry"))) {
            Result wrong = cloche.run(bytes("sesame\n"), "login", "-u", "alice", "--password-stdin", registry.name());
            assertThat(wrong.exitCode()).isEqualTo(1);
            assertThat(wrong.stderr())
                    .contains("Logging in to " + registry.name())
                    .contains("HTTP 401");

            Result right =
                    cloche.run(bytes("open sesame\r\n"), "login", "-u", "alice", "--password-stdin", registry.name());
            assertThat(right.stderr()).isEmpty();
            assertThat(right.stdout()).isEqualTo("Logged in to " + registry.name() + ".\n");

            Result out = cloche.run("logout", registry.name());
            assertThat(out.stdout()).isEqualTo("Logged out of " + registry.name() + ".\n");
            assertThat(cloche.run("logout", registry.name()).stdout()).startsWith("There was no login");
        }
    }

    @Test
    void onATerminalThePasswordIsAskedForAndNotShown() throws Exception {
        Program cloche = Program.in(root.resolve("home"));
        Assumptions.assumeTrue(
                LocalRegistry.missing().isEmpty(), () -> LocalRegistry.missing().orElseThrow());
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "script is not installed");
        try (LocalRegistry registry = LocalRegistry.startForAlice(root.resolve("registry"))) {
            ProcessBuilder builder = new ProcessBuilder(
                            "script", "-qec", Program.launcher() + " login " + registry.name(), "/dev/null")
                    .redirectErrorStream(true);
            builder.environment().putAll(cloche.environment());
            Process process = builder.start();
            StringBuilder shown = new StringBuilder();
            try (var to = process.getOutputStream();
                    var from = process.inputReader(StandardCharsets.UTF_8)) {
                awaitText(from, shown, "User: ");
                to.write(bytes("alice\n"));
                to.flush();
                awaitText(from, shown, "Password: ");
                to.write(bytes("open sesame\n"));
                to.flush();
                awaitText(from, shown, "Logged in to " + registry.name() + ".");
            } finally {
                if (!process.waitFor(5, TimeUnit.MINUTES)) {
                    process.destroyForcibly();
                }
            }
            assertThat(process.exitValue()).isZero();
            assertThat(shown.toString()).contains("alice").doesNotContain("sesame");
        }
    }

    private static void awaitText(java.io.Reader from, StringBuilder shown, String wanted) throws java.io.IOException {
        while (shown.indexOf(wanted) < 0) {
            int next = from.read();
            assertThat(next).as("ended after: %s", shown).isNotNegative();
            shown.append((char) next);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
