package dev.cloche.junit;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Printable;
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

    /** The main command has ended before it was ready. Code {@code junit.command-ended}. */
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
                    + " before it was ready.";
        }
    }

    /** A variable of the environment is not {@code NAME=value}. Code {@code junit.no-variable}. */
    public static final class NoVariable extends TestSandboxException {
        NoVariable(String text) {
            super("junit.no-variable", "\"" + text + "\" is no variable of an environment.", "Write it as NAME=value.");
        }
    }

    /** The main command has not written what it is waited for. Code {@code junit.not-written}. */
    public static final class NotWritten extends TestSandboxException {
        NotWritten(String text) {
            super(
                    "junit.not-written",
                    "The main command has not written \"" + Printable.of(text) + "\" in the time that it has.",
                    "Read what it wrote, which is published with the test, or wait longer.");
        }
    }

    /** A service was asked for something that only a running one has. Code {@code junit.service-not-started}. */
    public static final class NotStarted extends TestSandboxException {
        NotStarted(String image) {
            super(
                    "junit.service-not-started",
                    "The service of the image \"" + Printable.of(image) + "\" does not run.",
                    "Put @RegisterExtension on its field, and ask during the tests.");
        }
    }

    /** Classes that run side by side have one service. Code {@code junit.service-shared}. */
    public static final class Shared extends TestSandboxException {
        Shared(String image) {
            super(
                    "junit.service-shared",
                    "The service of the image \"" + Printable.of(image) + "\" runs for tests of another class.",
                    "Give each class a service of its own, or run the classes one after the other.");
        }
    }
}
