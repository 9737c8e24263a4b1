package dev.cloche.vm;

/** Another process holds what this call needs. */
public final class VmBusyException extends VmException {
    public VmBusyException(String sentence, String remedy) {
        super("vm.busy", sentence, remedy, null);
    }
}
