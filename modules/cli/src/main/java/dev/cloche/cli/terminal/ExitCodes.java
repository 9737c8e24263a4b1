package dev.cloche.cli.terminal;

/** The exit codes that are Cloche's own; all others are the guest command's. As in Docker and timeout(1). */
public final class ExitCodes {
    public static final int OK = 0;
    /** A command other than run, exec and machine shell failed. */
    public static final int FAILURE = 1;
    /** A command other than run, exec and machine shell was called in a wrong way. */
    public static final int USAGE = 2;
    /** {@code --timeout} passed. */
    public static final int TIMED_OUT = 124;
    /** run, exec or machine shell: Cloche itself failed, or was called in a wrong way. */
    public static final int CLOCHE_FAILED = 125;
    /** run, exec or machine shell: the command was found and cannot be executed. */
    static final int NOT_EXECUTABLE = 126;
    /** run, exec or machine shell: the command was not found in the guest. */
    static final int NOT_FOUND = 127;
    /** run, exec or machine shell: added to the number of the signal that ended the wait. */
    static final int SIGNALLED = 128;
    /** Interrupted; 128 + SIGINT. */
    public static final int INTERRUPTED = 130;

    private ExitCodes() {}

    /** Returns the exit code for an error at the start of a command, {@code otherwise} for all other errors. */
    public static int ofStart(String errorCode, int otherwise) {
        return switch (errorCode) {
            case "vm.spawn.command-not-found" -> NOT_FOUND;
            case "vm.spawn.command-not-executable" -> NOT_EXECUTABLE;
            default -> otherwise;
        };
    }
}
