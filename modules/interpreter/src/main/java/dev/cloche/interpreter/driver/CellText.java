package dev.cloche.interpreter.driver;

import dev.cloche.base.DurationText;
import dev.cloche.interpreter.InterpreterException;
import dev.cloche.interpreter.protocol.Answer;
import java.time.Duration;

/** Puts into words what became of a cell or of its context. Stateless. */
final class CellText {
    static final String TRUNCATED = "Not all is here: what is larger than the limits allow was left out.";
    private static final int SIGKILL = 9;

    private CellText() {}

    static RuntimeException closed() {
        return new InterpreterException.ContextEnded("The context was closed.", null);
    }

    static String ended(Answer.Ended end) {
        String how = end.code() >= 0 ? "with exit code " + end.code() : "by signal " + -end.code();
        return "The process of the context ended " + how
                + (end.code() == -SIGKILL ? ", as it does when the memory of the sandbox is used up." : ".");
    }

    static String timedOut(Duration timeout, boolean contextLost) {
        return "The cell took longer than " + DurationText.of(timeout)
                + (contextLost
                        ? " and did not stop when it was interrupted; its context was ended, and its variables are lost."
                        : " and was interrupted.");
    }
}
