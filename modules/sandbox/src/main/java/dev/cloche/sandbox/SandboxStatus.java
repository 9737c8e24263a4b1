package dev.cloche.sandbox;

import java.util.EnumSet;
import java.util.Set;

/**
 * What the record says of a sandbox. {@link #successors()} is the one table of its transitions; the database enforces it
 * by conditional updates.
 */
public enum SandboxStatus {
    /** Recorded, never started. */
    CREATED,
    /** Its image is being fetched or its VM is booting. */
    STARTING,
    /** Its guest has answered. */
    RUNNING,
    /** A stop was asked for; the guest is ending. */
    DRAINING,
    /** Ended as intended: its command finished, or somebody asked for the end. */
    STOPPED,
    /** Ended in a way that nobody asked for. */
    CRASHED;

    /** The statuses that may follow this one. */
    public Set<SandboxStatus> successors() {
        return switch (this) {
            case CREATED -> EnumSet.of(STARTING);
            case STARTING -> EnumSet.of(RUNNING, STOPPED, CRASHED);
            case RUNNING -> EnumSet.of(DRAINING, STOPPED, CRASHED);
            case DRAINING -> EnumSet.of(STOPPED, CRASHED);
            case STOPPED, CRASHED -> EnumSet.of(STARTING);
        };
    }

    /** Whether the sandbox has ended and nothing of it runs. */
    public boolean terminal() {
        return this == STOPPED || this == CRASHED;
    }

    /** Whether a VM of it may be alive. */
    public boolean active() {
        return this == STARTING || this == RUNNING || this == DRAINING;
    }
}
