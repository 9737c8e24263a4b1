package dev.cloche.vm;

/** Another connection has attached to the execution; it runs on, and its output goes there. */
public final class ExecutionTakenException extends VmException {
    public ExecutionTakenException(int execution) {
        super(
                "vm.execution-taken",
                "Another connection has attached to execution " + Integer.toUnsignedString(execution),
                "Attach to it again to take it back.",
                null);
    }
}
