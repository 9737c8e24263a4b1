package dev.cloche.vm;

/** A copy is larger than its {@link CopyOptions} allow. */
public final class CopyLimitException extends VmException {
    public CopyLimitException(String what) {
        super("vm.copy-limit", "The copy has more than " + what, "Copy less, or raise the limit.", null);
    }
}
