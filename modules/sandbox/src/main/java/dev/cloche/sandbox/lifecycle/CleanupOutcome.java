package dev.cloche.sandbox.lifecycle;

/** Says what came of the attempt to remove one ephemeral sandbox that had ended. */
public enum CleanupOutcome {
    /** Nothing is left of it, and this was the attempt that removed its record. */
    REMOVED,
    /** Some of its files resist. It stays recorded, so that it is seen and tried again. */
    DIR_REMOVE_FAILED,
    /** It was not recorded any more. */
    ALREADY_GONE,
    /** Its files are gone, and another process removed its record, or made something else of it, meanwhile. */
    ALREADY_CLAIMED,
    /** It is not ephemeral. */
    SKIPPED_PERSISTENT,
    /** It has not ended. */
    SKIPPED_ACTIVE,
    /** A living process owns it or has it in hand, or its VM lives. */
    SKIPPED_LIVE_PID
}
