package dev.cloche.vm;

/** The deadline of a call has passed. What the call began may still take effect, unless it says otherwise. */
public final class VmDeadlineException extends VmException {
    public VmDeadlineException(String what) {
        super(
                "vm.deadline",
                "Not in time: " + what,
                "Try again with a later deadline, or look at what the guest is doing.",
                null);
    }
}
