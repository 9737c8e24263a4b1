package dev.cloche;

import dev.cloche.base.ClocheException;
import dev.cloche.vm.ExitStatus;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Says what went wrong with a command that has been started. What it wrote until then is in its {@link #result()}, if it was
 * collected.
 *
 * <pre>{@code
 * try {
 *     sandbox.exec("make").orThrow();
 * } catch (CommandException.Failed failed) {
 *     System.err.print(failed.result().orElseThrow().stderrText());
 * }
 * }</pre>
 */
public abstract sealed class CommandException extends ClocheException {
    /** Is here for the caller that has the exception in hand; what is written of it elsewhere does not have the output. */
    private final transient @Nullable ExecResult result;

    private CommandException(
            String code, String sentence, String remedy, @Nullable ExecResult result, @Nullable Throwable cause) {
        super(code, sentence, remedy, cause);
        this.result = result;
    }

    /** Returns what the command wrote; empty if its output was read as a stream. */
    public final Optional<ExecResult> result() {
        return Optional.ofNullable(result);
    }

    /** Says that the command took longer than it may, and was killed. Code {@code execution.timed-out}. */
    public static final class TimedOut extends CommandException {
        TimedOut(@Nullable ExecResult result, @Nullable Throwable cause) {
            super(
                    "execution.timed-out",
                    "The command took longer than its timeout.",
                    "Give it more time.",
                    result,
                    cause);
        }
    }

    /** Says that the command wrote more than is collected, and was killed. Code {@code execution.output-too-large}. */
    public static final class OutputTooLarge extends CommandException {
        OutputTooLarge(ExecResult result) {
            super(
                    "execution.output-too-large",
                    "The command wrote more than is collected of an output.",
                    "Raise its outputLimit, or start it with start() and read its streams.",
                    result,
                    null);
        }
    }

    /** Says that the command ended by itself and without success. Code {@code execution.failed}. */
    public static final class Failed extends CommandException {
        Failed(ExecResult result) {
            super(
                    "execution.failed",
                    sentence(result.exit()),
                    "Read what it wrote to its standard error, which result() has.",
                    result,
                    null);
        }

        private static String sentence(ExitStatus exit) {
            return switch (exit) {
                case ExitStatus.Exited(int code) -> "The command ended with exit code " + code + ".";
                case ExitStatus.Signalled(int signal) -> "Signal " + signal + " ended the command.";
            };
        }
    }
}
