package dev.cloche.vm;

/** The calling thread was interrupted; its interrupt status is set again. */
public final class VmInterruptedException extends VmException {
    public VmInterruptedException(String what) {
        super("vm.interrupted", "Interrupted: " + what, "", null);
    }
}
