package dev.cloche;

import dev.cloche.base.ClocheException;
import org.jspecify.annotations.Nullable;

/**
 * What can go wrong with a command that has been started.
 *
 * <pre>{@code
 * try {
 *     sandbox.command("sleep", "1000").timeout(Duration.ofSeconds(1)).run();
 * } catch (CommandException.TimedOut late) {
 *     System.err.println(late.getMessage() + " " + late.remedy());
 * }
 * }</pre>
 */
public abstract sealed class CommandException extends ClocheException {
    private CommandException(String code, String sentence, String remedy, @Nullable Throwable cause) {
        super(code, sentence, remedy, cause);
    }

    /** The command took longer than it may, and was killed. Code {@code execution.timed-out}. */
    public static final class TimedOut extends CommandException {
        TimedOut(@Nullable Throwable cause) {
            super("execution.timed-out", "The command took longer than its timeout.", "Give it more time.", cause);
        }
    }

    /** The command wrote more than is collected in memory, and was killed. Code {@code execution.output-too-large}. */
    public static final class OutputTooLarge extends CommandException {
        OutputTooLarge() {
            super(
                    "execution.output-too-large",
                    "The command wrote more than " + Execution.MAX_COLLECTED_MIB + " MiB to one of its outputs.",
                    "Start it with start() and read its streams.",
                    null);
        }
    }
}
