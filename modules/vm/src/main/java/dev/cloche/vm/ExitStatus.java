package dev.cloche.vm;

/** Says how an execution ended. An exit code and a signal are kept apart, as the kernel keeps them. */
public sealed interface ExitStatus {
    /** The process returned a code, 0 to 255. */
    record Exited(int code) implements ExitStatus {
        public Exited {
            if (code < 0 || code > 255) {
                throw new IllegalArgumentException("an exit code is 0 to 255: " + code);
            }
        }
    }

    /** A signal, 1 to 64, ended the process. */
    record Signalled(int signal) implements ExitStatus {
        public Signalled {
            if (signal < 1 || signal > 64) {
                throw new IllegalArgumentException("a signal is 1 to 64: " + signal);
            }
        }
    }

    /** Returns the one number that a shell shows: the exit code, or 128 + the signal. */
    default int shellCode() {
        return switch (this) {
            case Exited(int code) -> code;
            case Signalled(int signal) -> 128 + signal;
        };
    }

    /** Returns whether it ended with exit code 0. */
    default boolean success() {
        return shellCode() == 0;
    }
}
