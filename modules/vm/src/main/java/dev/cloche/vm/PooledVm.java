package dev.cloche.vm;

import java.time.Duration;
import java.util.Optional;

/**
 * Describes a VM of a warm pool as its directory tells; one that was claimed is none any more.
 *
 * @param snapshot what it was restored from
 * @param age since it was shelved, by the wall clock and never negative; zero before
 */
public record PooledVm(
        VmId id, PoolSlot slot, Stage stage, Optional<SnapshotRef> snapshot, int memoryMiB, Duration age) {
    /** Says how far it is. */
    public enum Stage {
        /** Being made, or left behind by a process that died over it. */
        OPEN,
        /** Prepared and halted; it needs no owner. Some process may hold it all the same. */
        SHELVED,
        /** It does not run any more: too old, or crashed. */
        ENDED
    }
}
