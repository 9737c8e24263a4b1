package dev.cloche;

import dev.cloche.vm.ExitStatus;
import java.nio.charset.StandardCharsets;

/**
 * A command that has ended, with all that it wrote.
 *
 * <pre>{@code
 * ExecResult result = sandbox.exec("uname", "-s");
 * if (result.exit().success()) {
 *     System.out.print(result.stdoutText()); // Linux
 * }
 * }</pre>
 *
 * <p>Immutable: each call for an array answers a copy.
 */
public final class ExecResult {
    private final ExitStatus exit;
    private final byte[] stdout;
    private final byte[] stderr;

    ExecResult(ExitStatus exit, byte[] stdout, byte[] stderr) {
        this.exit = exit;
        this.stdout = stdout;
        this.stderr = stderr;
    }

    /** How the command ended. */
    public ExitStatus exit() {
        return exit;
    }

    /** Short for {@code exit().shellCode()}: the exit code, or 128 + the signal. */
    public int exitCode() {
        return exit.shellCode();
    }

    /** What the command wrote to its standard output. */
    public byte[] stdout() {
        return stdout.clone();
    }

    /** What the command wrote to its standard error. */
    public byte[] stderr() {
        return stderr.clone();
    }

    /** {@link #stdout()} as UTF-8; malformed bytes become U+FFFD. */
    public String stdoutText() {
        return new String(stdout, StandardCharsets.UTF_8);
    }

    /** {@link #stderr()} as UTF-8; malformed bytes become U+FFFD. */
    public String stderrText() {
        return new String(stderr, StandardCharsets.UTF_8);
    }
}
