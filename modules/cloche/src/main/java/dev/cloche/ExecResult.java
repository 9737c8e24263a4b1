package dev.cloche;

import dev.cloche.vm.ExitStatus;
import java.nio.charset.StandardCharsets;

/**
 * A command that has ended, with what it wrote.
 *
 * <pre>{@code
 * ExecResult result = sandbox.command("sh", "/tmp/task.sh").timeout(Duration.ofSeconds(10)).run();
 * System.out.print(result.stdoutText());
 * if (result.timedOut()) {
 *     System.out.println("and no more, because its time was up");
 * }
 * }</pre>
 *
 * <p>One that was killed because it took longer than its timeout, or wrote more than is collected, is no error: it has what it
 * wrote until then. For a caller that wants only success there is {@link #orThrow()}.
 *
 * <p>Immutable: each call for an array answers a copy.
 */
public final class ExecResult {
    private final ExitStatus exit;
    private final byte[] stdout;
    private final byte[] stderr;
    private final boolean timedOut;
    private final boolean truncated;

    ExecResult(ExitStatus exit, byte[] stdout, byte[] stderr, boolean timedOut, boolean truncated) {
        this.exit = exit;
        this.stdout = stdout;
        this.stderr = stderr;
        this.timedOut = timedOut;
        this.truncated = truncated;
    }

    /** Returns how the command ended; by SIGKILL if it {@link #timedOut()} or was {@link #truncated()} while it ran. */
    public ExitStatus exit() {
        return exit;
    }

    /** Returns {@code exit().shellCode()}: the exit code, or 128 + the signal. */
    public int exitCode() {
        return exit.shellCode();
    }

    /** Returns whether it took longer than its {@linkplain CommandBuilder#timeout timeout}, and was killed. */
    public boolean timedOut() {
        return timedOut;
    }

    /**
     * Returns whether it wrote more to one of its outputs than its {@linkplain CommandBuilder#outputLimit limit}, and was
     * killed. The beginning of that output is here, as much as the limit allows.
     */
    public boolean truncated() {
        return truncated;
    }

    /**
     * Returns this, if the command ended by itself, with exit code 0 and all of its output.
     *
     * <pre>{@code
     * String kernel = sandbox.exec("uname", "-r").orThrow().stdoutText();
     * }</pre>
     *
     * @throws CommandException.TimedOut if it {@link #timedOut()}
     * @throws CommandException.OutputTooLarge if it was {@link #truncated()}
     * @throws CommandException.Failed if it ended otherwise without success
     */
    public ExecResult orThrow() {
        if (timedOut) {
            throw new CommandException.TimedOut(this, null);
        }
        if (truncated) {
            throw new CommandException.OutputTooLarge(this);
        }
        if (!exit.success()) {
            throw new CommandException.Failed(this);
        }
        return this;
    }

    /** Returns what the command wrote to its standard output. */
    public byte[] stdout() {
        return stdout.clone();
    }

    /** Returns what the command wrote to its standard error. */
    public byte[] stderr() {
        return stderr.clone();
    }

    /** Returns {@link #stdout()} as UTF-8; malformed bytes become U+FFFD. */
    public String stdoutText() {
        return new String(stdout, StandardCharsets.UTF_8);
    }

    /** Returns {@link #stderr()} as UTF-8; malformed bytes become U+FFFD. */
    public String stderrText() {
        return new String(stderr, StandardCharsets.UTF_8);
    }
}
