package dev.cloche.vm;

/** A VM is not in a state in which this can be done. */
public final class VmStateException extends VmException {
    private final VmState state;

    public VmStateException(VmId id, VmState state, String wanted) {
        super("vm.state", "VM " + id + " is " + state + " and cannot " + wanted, "Look at its state first.", null);
        this.state = state;
    }

    /** The state that it was in. */
    public VmState state() {
        return state;
    }
}
