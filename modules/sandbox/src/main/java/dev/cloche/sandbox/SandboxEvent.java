package dev.cloche.sandbox;

import java.time.Instant;
import java.util.Optional;

/**
 * Describes something that happened to a sandbox, as it was recorded with it.
 *
 * @param id grows with time, and is never given twice
 * @param name of the sandbox, as it was then
 * @param image of the sandbox, as it was asked for
 * @param termination how its run ended; of {@link Kind#STOPPED} and {@link Kind#CRASHED}
 * @param detail the new name, of {@link Kind#RENAMED}; of {@link Kind#RUNNING} what hinders its guest, which is empty
 *     when that begins to run and when it works again; else empty
 */
public record SandboxEvent(
        long id,
        Instant at,
        Kind kind,
        long sandboxId,
        String name,
        String image,
        Optional<Termination> termination,
        String detail) {

    /** Says what happened. */
    public enum Kind {
        CREATED,
        STARTING,
        RUNNING,
        PAUSED,
        /** Its memory is being written to disk. */
        SUSPENDING,
        /** Its memory is on the disk, and its VM has ended. */
        SUSPENDED,
        /** Its memory is being read. */
        RESUMING,
        /** It goes on after a pause, or from its memory. */
        RESUMED,
        /** It outlives the process that started it. */
        DETACHED,
        /** A process has taken it over. */
        ADOPTED,
        /** Its end was asked for. */
        DRAINING,
        STOPPED,
        CRASHED,
        RENAMED,
        REMOVED
    }
}
