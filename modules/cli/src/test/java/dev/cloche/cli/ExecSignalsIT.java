package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.cli.Program.Result;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code cloche exec} that is interrupted, in a real VM: what it ran does not go on without it. */
@Timeout(1200)
class ExecSignalsIT {
    @TempDir
    static Path home;

    static Program cloche;

    @BeforeAll
    static void start() {
        cloche = Program.in(home);
        Result started = cloche.run("run", "-d", "--name", "box", "base", "--", "sleep", "600");
        assertThat(started.exitCode()).as(started.stderr()).isZero();
    }

    @AfterAll
    static void end() {
        if (cloche != null) {
            cloche.run("rm", "--force", "box");
            assertThat(cloche.vmProcesses()).isEmpty();
        }
    }

    @Test
    void oneInterruptEndsACommandThatListens() throws Exception {
        Process exec = exec("polite", "exec sleep 600");
        Program.signal(exec, "INT");
        assertThat(exec.waitFor()).isEqualTo(130);
        assertThat(runs("polite")).isFalse();
    }

    @Test
    void theThirdSignalEndsACommandThatIgnoresThem() throws Exception {
        Process exec = exec("deaf", "while :; do sleep 0.1; done");
        // Each another one, for two of a kind that come at once may be delivered as one.
        for (String signal : new String[] {"INT", "TERM", "HUP"}) {
            Program.signal(exec, signal);
        }
        assertThat(exec.waitFor()).isIn(129, 130, 143);
        assertThat(Program.text(exec.getErrorStream())).startsWith("cloche: ").contains("nterrupted");
        assertThat(runs("deaf")).isFalse();
    }

    /** Returns when the command runs, which ignores signals unless it is another program by then. */
    private static Process exec(String name, String script) throws IOException {
        String ignoring = name.equals("deaf") ? "trap '' INT TERM HUP; " : "";
        Process exec = cloche.start(
                "exec", "box", "--", "sh", "-c", ignoring + "echo $$ > /tmp/" + name + "; echo up; " + script);
        assertThat(exec.getInputStream().read()).isEqualTo('u');
        return exec;
    }

    private static boolean runs(String name) {
        Result look = cloche.run("exec", "box", "--", "sh", "-c", "test -e /proc/$(cat /tmp/" + name + ")");
        assertThat(look.stderr()).isEmpty();
        return look.exitCode() == 0;
    }
}
