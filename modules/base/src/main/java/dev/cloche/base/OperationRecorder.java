package dev.cloche.base;

/** Records one operation, which began when this was made. */
public interface OperationRecorder<O extends Operation> {
    /** Returns whether it records anything now. */
    boolean isEnabled();

    /** Records the end of its operation. */
    void ended(O operation);
}
