package dev.cloche.vm;

import java.nio.file.Path;

/** A persistent disk is used by a VM, or is being changed by another call. */
public final class DiskInUseException extends VmException {
    public DiskInUseException(Path directory) {
        super(
                "vm.disk-in-use",
                "The disk in " + directory + " is used by a VM or is just being changed",
                "Stop the VM that has it, or try again.",
                null);
    }
}
