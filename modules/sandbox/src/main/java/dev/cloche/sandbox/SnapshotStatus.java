package dev.cloche.sandbox;

import java.util.EnumSet;
import java.util.Set;

/** Tells what the record says of a snapshot. {@link #successors()} is the one table of its transitions. */
public enum SnapshotStatus {
    /** The process that takes it holds its lock; it cannot be restored yet. */
    TAKING,
    /** Whole, and on the disk. */
    READY,
    /** It has no name any more, and what is left of it goes. */
    REMOVING;

    /** Returns the statuses that may follow this one; after the last the row is gone. */
    public Set<SnapshotStatus> successors() {
        return switch (this) {
            case TAKING -> EnumSet.of(READY, REMOVING);
            case READY -> EnumSet.of(REMOVING);
            case REMOVING -> EnumSet.noneOf(SnapshotStatus.class);
        };
    }
}
