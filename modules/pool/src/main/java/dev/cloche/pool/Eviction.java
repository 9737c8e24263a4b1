package dev.cloche.pool;

/** Why an entry left the pool other than by hand-off. */
public enum Eviction {
    /** It was too old, or about to be and replaced. */
    AGE,
    /** A validator did not like it, or its VM had ended. */
    VALIDATION,
    /** Its key was unregistered. */
    UNREGISTER,
    /** The pool was closed. */
    CLOSE,
    /** It was restored for a registration that is gone. */
    ORPHAN,
    /** It was restored from a snapshot that another has replaced. */
    REPLACED,
    /** Fewer are wanted. */
    SURPLUS,
    /** Another key's acquirer needs its place in the budget. */
    BUDGET,
    /** Its hand-off failed. */
    HAND_OFF
}
