package dev.cloche.vm;

import org.jspecify.annotations.Nullable;

/** Something that VMs need is missing on this host, or does not work. */
public final class VmResourcesException extends VmException {
    public VmResourcesException(String sentence, String remedy, @Nullable Throwable cause) {
        super("vm.resources", sentence, remedy, cause);
    }
}
