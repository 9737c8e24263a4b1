package dev.cloche.vm;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Describes a disk for what guests write that outlives every VM: facts of one moment.
 *
 * @param directory where it is; absolute, and nothing else is there
 * @param sizeMiB what a guest sees
 * @param inUse whether a VM has it
 * @param suspendedAt the snapshot that it is exactly as of, so that {@link VmSpec#restored} can continue that on it; empty once
 *     a VM has used it since
 */
public record PersistentDisk(Path directory, int sizeMiB, boolean inUse, Optional<SnapshotName> suspendedAt) {
    /** Returns what a VM whose writes go to this disk is told in its {@link VmSpec}. */
    public WritableLayer layer() {
        return WritableLayer.persistent(directory);
    }
}
