package dev.cloche.pool;

/** Says why an entry left the pool other than by a hand-off of this process. */
public enum Eviction {
    /** It was too old, or about to be and replaced. */
    AGE,
    /** A health check or a warm-up refused it when it was made. */
    VALIDATION,
    /** Its VM had ended by itself. */
    ENDED,
    /** Another process has taken or removed it. */
    ELSEWHERE,
    /** Its key was unregistered. */
    UNREGISTER,
    /** It was restored for a registration that is gone. */
    ORPHAN,
    /** It was restored from a snapshot that another has replaced. */
    REPLACED,
    /** Fewer are wanted. */
    SURPLUS,
    /** The host is short of memory. */
    PRESSURE,
    /** An acquirer of another key needs its place in the budget. */
    BUDGET,
    /** Its hand-off failed. */
    HAND_OFF
}
