package dev.cloche.sandbox;

/**
 * Tells what the record says of a snapshot. A status is followed by any later one, and the last by the removal of the row;
 * the database enforces it by conditional updates.
 */
public enum SnapshotStatus {
    /** The process that takes it holds its lock; it cannot be restored yet. */
    TAKING,
    /** Whole, and on the disk. */
    READY,
    /** It has no name any more, and what is left of it goes. */
    REMOVING
}
