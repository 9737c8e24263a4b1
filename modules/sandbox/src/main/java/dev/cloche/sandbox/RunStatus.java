package dev.cloche.sandbox;

import java.util.EnumSet;
import java.util.Set;

/**
 * Tells what the record says of one run of a sandbox. {@link #successors()} is the one table of its transitions; the
 * database enforces it by conditional updates.
 */
public enum RunStatus {
    /**
     * Its VM is being made, lives, or has ended and its end is not recorded yet. A sandbox has at most one such run.
     */
    RUNNING,
    /** It is recorded how it ended, and that is never changed. */
    TERMINATED;

    /** Returns the statuses that may follow this one. */
    public Set<RunStatus> successors() {
        return switch (this) {
            case RUNNING -> EnumSet.of(TERMINATED);
            case TERMINATED -> EnumSet.noneOf(RunStatus.class);
        };
    }
}
