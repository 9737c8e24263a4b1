package dev.cloche.vm;

/** A request that this room refuses before any effect, because a value in it is not allowed. */
public final class InvalidVmSpecException extends VmException {
    public InvalidVmSpecException(String sentence, String remedy) {
        super("vm.invalid", sentence, remedy, null);
    }
}
