package dev.cloche.vm;

import org.jspecify.annotations.Nullable;

/** A VM did not come up. */
public final class VmStartException extends VmException {
    private final String consoleTail;

    VmStartException(String sentence, String remedy, String consoleTail, @Nullable Throwable cause) {
        super("vm.start", sentence, remedy, cause);
        this.consoleTail = consoleTail;
    }

    /**
     * The end of the guest's console, at most 4,096 characters, empty if it wrote nothing. The guest wrote it: control
     * characters except the newline are replaced.
     */
    public String consoleTail() {
        return consoleTail;
    }
}
