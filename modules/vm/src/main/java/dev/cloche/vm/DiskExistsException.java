package dev.cloche.vm;

import java.nio.file.Path;

/** Where a persistent disk was to be made, there is something already. */
public final class DiskExistsException extends VmException {
    public DiskExistsException(Path directory) {
        super(
                "vm.disk-exists",
                "A disk cannot be made in " + directory + ", because there is something already",
                "Delete that disk, or choose another directory.",
                null);
    }
}
