package dev.cloche.machine;

import java.time.Instant;

/**
 * Describes something that happened to a machine.
 *
 * @param machine its name then
 * @param kind what happened
 * @param detail a new name, a reason, or empty
 */
public record MachineEvent(Instant time, String machine, Kind kind, String detail) {
    /** Says what can happen to a machine. */
    public enum Kind {
        CREATED,
        /** Made of another machine, which the detail names. */
        CLONED,
        STARTING,
        PROVISIONING,
        PROVISION_FAILED,
        STARTED,
        /** Found running without a process that had started it, or taken in as a copy of another. */
        ADOPTED,
        /** To be started again, by its policy. */
        RESTARTING,
        /** Its configuration was. */
        CHANGED,
        /** Taken, by the name that the detail has. */
        SNAPSHOT,
        /** Put back to the snapshot that the detail names. */
        RESTORED,
        EXPORTED,
        IMPORTED,
        SUSPENDED,
        STOPPING,
        STOPPED,
        FAILED,
        /** To the name that the detail has. */
        RENAMED,
        REMOVED
    }
}
