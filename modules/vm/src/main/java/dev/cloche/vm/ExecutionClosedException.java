package dev.cloche.vm;

/** This handle of an execution was closed before the execution's end was seen; the execution may run on. */
public final class ExecutionClosedException extends VmException {
    public ExecutionClosedException(int execution) {
        super(
                "vm.execution-closed",
                "The handle of execution " + Integer.toUnsignedString(execution) + " was closed",
                "Attach to the execution to see more of it.",
                null);
    }
}
