package dev.cloche.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.cli.Program.Result;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what a person types and sees; script(1) is the terminal here. */
class InteractiveIT {
    private static final String CONTROL_C = "\3";
    private static final String DETACH = "\20\21";

    @TempDir
    static Path home;

    static Program cloche;

    private final List<Session> sessions = new ArrayList<>();

    @BeforeAll
    static void install() {
        cloche = Program.in(home);
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/script")), "script(1) is missing (bsdutils)");
        Assumptions.assumeTrue(Files.isDirectory(Path.of("/dev/pts")), "there is no /dev/pts here");
    }

    @AfterEach
    void end() {
        sessions.forEach(Session::close);
        for (String name : List.of("box", "left")) {
            cloche.run("rm", "--force", name);
        }
        assertThat(cloche.vmProcesses()).isEmpty();
    }

    /** A command with a terminal of its own. */
    private static final class Session implements AutoCloseable {
        private final Process script;
        private final StringBuffer screen = new StringBuffer();

        Session(String... arguments) {
            script = cloche.startOnTerminal(arguments);
            Thread.ofVirtual().start(() -> {
                byte[] bytes = new byte[4096];
                try (InputStream out = script.getInputStream()) {
                    for (int n = out.read(bytes); n >= 0; n = out.read(bytes)) {
                        screen.append(new String(bytes, 0, n, UTF_8));
                    }
                } catch (IOException gone) {
                    throw new UncheckedIOException(gone);
                }
            });
        }

        void type(String keys) throws IOException {
            OutputStream in = script.getOutputStream();
            in.write(keys.getBytes(UTF_8));
            in.flush();
        }

        void see(String text) {
            Awaitility.await().untilAsserted(() -> assertThat(screen.toString()).contains(text));
        }

        int exitCode() throws InterruptedException {
            assertThat(script.waitFor(5, TimeUnit.MINUTES))
                    .as(screen.toString())
                    .isTrue();
            return script.exitValue();
        }

        @Override
        public void close() {
            script.destroyForcibly().onExit().join();
        }
    }

    private Session session(String... arguments) {
        Session session = new Session(arguments);
        sessions.add(session);
        return session;
    }

    @Test
    void aShellHasATerminalAndItsExitCodeCounts() throws Exception {
        Session shell = session("run", "--rm", "-it", "base", "--", "sh");
        shell.see("# ");
        shell.type("tty; echo term=$TERM; stty size\r");
        shell.see("/dev/pts/");
        shell.see("term=xterm");
        shell.type("sleep 1000\r");
        shell.see("sleep 1000");
        shell.type(CONTROL_C);
        shell.type("echo code=$?\r");
        shell.see("code=130");
        shell.type("exit 42\r");
        assertThat(shell.exitCode()).isEqualTo(42);
    }

    @Test
    void theDetachKeysLeaveTheCommandRunningAndTheSandboxEndsWithIt() throws Exception {
        Session shell = session("run", "--name", "left", "-it", "base", "--", "sh");
        shell.see("# ");
        shell.type("(while ! [ -e /tmp/go ]; do sleep 0.1; done; kill -9 $$) &\r");
        shell.type(DETACH);
        shell.see("left goes on");
        assertThat(shell.exitCode()).isZero();
        assertThat(cloche.run("ps").stdout()).contains("left").contains("running");
        // The sandbox may end before this command can tell how it ended itself.
        cloche.run("exec", "left", "--", "touch", "/tmp/go");
        Awaitility.await()
                .untilAsserted(() -> assertThat(cloche.run("ps", "-a").stdout()).contains("stopped (signal 9)"));
    }

    @Test
    void execGivesACommandATerminalAndItsOwnDetachKeys() throws Exception {
        assertThat(cloche.run("run", "-d", "--name", "box", "base", "--", "sleep", "1000")
                        .exitCode())
                .isZero();
        Session shell = session("exec", "-it", "--detach-keys", "a,b", "box", "--", "sh");
        shell.see("# ");
        shell.type("tty\r");
        shell.see("/dev/pts/");
        shell.type("ab");
        assertThat(shell.exitCode()).isZero();
        assertThat(cloche.run("exec", "box", "--", "ps").stdout()).containsPattern("root +sh\n");
    }

    @Test
    void whereNoTerminalIsThatIsSaid() {
        assertThat(cloche.run("run", "-it", "base"))
                .isEqualTo(new Result(
                        125,
                        "",
                        "cloche: -t needs a terminal, and standard input is none.\n"
                                + "        Leave out -t where a script or a pipe is at the other end.\n"));
        assertThat(cloche.run("run", "-it", "--detach-keys", "ctrl-1", "base").stderr())
                .contains("is no key");
    }
}
