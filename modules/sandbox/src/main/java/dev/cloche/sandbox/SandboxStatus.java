package dev.cloche.sandbox;

import dev.cloche.base.EnumNames;
import java.util.EnumSet;
import java.util.Set;

/**
 * Tells what the record says of a sandbox. {@link #successors()} is the one table of its transitions; the database
 * enforces it by conditional updates.
 */
public enum SandboxStatus {
    /** Recorded, never started. */
    CREATED,
    /** Its image is being fetched or its VM is booting. */
    STARTING,
    /** Its guest has answered. */
    RUNNING,
    /** Its guest is halted in memory. */
    PAUSED,
    /** Its memory is being written to disk, its guest halted. */
    SUSPENDING,
    /** Its memory is on the disk, and it has no VM. */
    SUSPENDED,
    /** Its memory is being read; its guest does not run yet. */
    RESUMING,
    /** Its end was asked for: no command is started in it any more, and it is ending. */
    DRAINING,
    /** Ended as intended: its command finished, a limit was reached, or the end was asked for. */
    STOPPED,
    /** Ended in a way that was not asked for. */
    CRASHED;

    /** Returns the statuses that may follow this one. */
    public Set<SandboxStatus> successors() {
        return switch (this) {
            // An ephemeral sandbox that is not started in time is a start that died, and goes.
            case CREATED -> EnumSet.of(STARTING, CRASHED);
            case STARTING -> EnumSet.of(RUNNING, STOPPED, CRASHED);
            case RUNNING -> EnumSet.of(PAUSED, SUSPENDING, DRAINING, STOPPED, CRASHED);
            case PAUSED -> EnumSet.of(RUNNING, SUSPENDING, DRAINING, STOPPED, CRASHED);
            case SUSPENDING -> EnumSet.of(SUSPENDED, RUNNING, PAUSED, STOPPED, CRASHED);
            case SUSPENDED -> EnumSet.of(RESUMING, STOPPED, CRASHED);
            case RESUMING -> EnumSet.of(RUNNING, SUSPENDED, STOPPED, CRASHED);
            case DRAINING -> EnumSet.of(STOPPED, CRASHED);
            case STOPPED, CRASHED -> EnumSet.of(STARTING);
        };
    }

    /**
     * Reads a status as it is printed, such as {@code running}.
     *
     * @throws SandboxException.InvalidSpecification if there is none of that name
     */
    public static SandboxStatus parse(String name) {
        return EnumNames.find(SandboxStatus.class, name)
                .orElseThrow(() -> new SandboxException.InvalidSpecification(
                        "\"" + name + "\" is no status of a sandbox.",
                        "Use created, starting, running, paused, suspending, suspended, resuming, draining, stopped or"
                                + " crashed."));
    }

    /** Says whether the sandbox has ended and nothing of it runs. */
    public boolean terminal() {
        return this == STOPPED || this == CRASHED;
    }

    /** Says whether a VM of it may be alive. */
    public boolean active() {
        return switch (this) {
            case STARTING, RUNNING, PAUSED, SUSPENDING, RESUMING, DRAINING -> true;
            case CREATED, SUSPENDED, STOPPED, CRASHED -> false;
        };
    }

    /** Says whether its memory is on the disk, or is just being written or read. */
    public boolean suspends() {
        return this == SUSPENDING || this == SUSPENDED || this == RESUMING;
    }
}
