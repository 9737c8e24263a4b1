package dev.cloche.execution;

import dev.cloche.base.ClocheException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Is thrown when durable executions cannot be started, driven or read. */
public abstract sealed class DurableExecutionException extends ClocheException {
    private DurableExecutionException(String code, String sentence, String remedy, @Nullable Throwable cause) {
        super(code, sentence, remedy, cause);
    }

    /** What is asked for cannot be. Code {@code execution.invalid}. */
    public static final class Invalid extends DurableExecutionException {
        Invalid(String sentence, String remedy) {
            super("execution.invalid", sentence, remedy, null);
        }
    }

    /** There is a process of that id, and it is something else. Code {@code execution.other-process}. */
    public static final class OtherProcess extends DurableExecutionException {
        OtherProcess(String id, String type) {
            super(
                    "execution.other-process",
                    "The process " + id + " is no command in a sandbox, but a " + type + ".",
                    "Only what cloche.processes().command(…) started has an output here.",
                    null);
        }
    }

    /** Another process of this host has the output open. Code {@code execution.busy}. */
    public static final class Busy extends DurableExecutionException {
        Busy(String id) {
            super(
                    "execution.busy",
                    "Another process still writes the output of " + id + ".",
                    "It lets go as soon as it finds that its lease is lost; try again.",
                    null);
        }
    }

    /** Its sandbox is paused or starting. Code {@code execution.not-now}. */
    static final class NotNow extends DurableExecutionException {
        NotNow(String id, Throwable cause) {
            super(
                    "execution.not-now",
                    "The sandbox of " + id + " does not answer at present: " + sentenceOf(cause),
                    "It goes on when its sandbox does.",
                    cause);
        }
    }

    /** The output cannot be written or read. Code {@code execution.output-unusable}. */
    public static final class OutputUnusable extends DurableExecutionException {
        OutputUnusable(Path file, Throwable cause) {
            super(
                    "execution.output-unusable",
                    "The output in " + file + " cannot be used: " + sentenceOf(cause),
                    "Check the disk; the guest keeps what is not written yet.",
                    cause);
        }
    }
}
