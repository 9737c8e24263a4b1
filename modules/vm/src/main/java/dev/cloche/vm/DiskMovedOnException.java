package dev.cloche.vm;

import java.nio.file.Path;

/**
 * A snapshot cannot be continued on a persistent disk, because the disk is not, or no more, as it was at the snapshot: a VM has
 * used it since. Continuing would undo what that VM wrote.
 */
public final class DiskMovedOnException extends VmException {
    public DiskMovedOnException(Path directory, SnapshotName name) {
        super(
                "vm.disk-moved-on",
                "The disk in " + directory + " is not as of snapshot " + name + ": a VM has used it since",
                "Boot from the disk as it is now, and delete the snapshot; or make a new disk of the snapshot.",
                null);
    }
}
