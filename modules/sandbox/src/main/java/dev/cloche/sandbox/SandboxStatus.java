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
            case RUNNING -> EnumSet.of(PAUSED, DRAINING, STOPPED, CRASHED);
            case PAUSED -> EnumSet.of(RUNNING, DRAINING, STOPPED, CRASHED);
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
                        "Use created, starting, running, paused, draining, stopped or crashed."));
    }

    /** Says whether the sandbox has ended and nothing of it runs. */
    public boolean terminal() {
        return this == STOPPED || this == CRASHED;
    }

    /** Says whether a VM of it may be alive. */
    public boolean active() {
        return switch (this) {
            case STARTING, RUNNING, PAUSED, DRAINING -> true;
            case CREATED, STOPPED, CRASHED -> false;
        };
    }
}
