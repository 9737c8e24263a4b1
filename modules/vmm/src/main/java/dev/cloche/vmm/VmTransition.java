package dev.cloche.vmm;

/** Says what can happen to a VM; see {@link VmTransitions}. */
public enum VmTransition {
    /** The guest said hello. */
    STARTED,
    /** The guest never said hello. */
    START_FAILED,
    PAUSED,
    RESUMED,
    /** It ended on request or at a limit. */
    ENDED,
    /** It ended without a request. */
    CRASHED,
    /** Its directory was removed. */
    DESTROYED
}
