package dev.cloche.junit;

import dev.cloche.base.ClocheException;
import dev.cloche.vm.ExitStatus;
import java.util.List;

/** What can go wrong with the sandboxes of tests, besides what can with any. */
public abstract sealed class TestSandboxException extends ClocheException {
    private TestSandboxException(String code, String sentence, String remedy) {
        super(code, sentence, remedy, null);
    }

    /** A run of tests has ended, and sandboxes of it had not. Code {@code junit.sandboxes-left}. */
    public static final class Left extends TestSandboxException {
        Left(List<String> names) {
            super(
                    "junit.sandboxes-left",
                    "Sandboxes of tests outlived them and were removed: " + String.join(", ", names) + ".",
                    "Call detach() on no sandbox of @Sandboxed.");
        }
    }

    /** The main command has ended before the published ports were ready. Code {@code junit.command-ended}. */
    public static final class CommandEnded extends TestSandboxException {
        CommandEnded(ExitStatus end) {
            super("junit.command-ended", sentence(end), "Read what it wrote, which is published with the test.");
        }

        private static String sentence(ExitStatus end) {
            return "The main command ended with "
                    + switch (end) {
                        case ExitStatus.Exited(int code) -> "exit code " + code;
                        case ExitStatus.Signalled(int signal) -> "signal " + signal;
                    }
                    + " before it listened on the ports that are published.";
        }
    }

    /** A variable of the environment is not {@code NAME=value}. Code {@code junit.no-variable}. */
    public static final class NoVariable extends TestSandboxException {
        NoVariable(String text) {
            super("junit.no-variable", "\"" + text + "\" is no variable of an environment.", "Write it as NAME=value.");
        }
    }
}
