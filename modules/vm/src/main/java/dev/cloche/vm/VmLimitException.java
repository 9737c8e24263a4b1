package dev.cloche.vm;

import org.jspecify.annotations.Nullable;

/** A VM reached its longest duration, of which its boot is a part, before it was up. */
public final class VmLimitException extends VmException {
    public VmLimitException(VmId id, @Nullable Throwable cause) {
        super(
                "vm.limit",
                "VM " + id + " reached the longest time that it was given before it was up",
                "Give it more; a boot takes longer on a busy host.",
                cause);
    }
}
