package dev.cloche.vmm;

/** What can happen to a VM; see {@link VmTransitions}. */
public enum VmTransition {
    /** The guest said hello. */
    STARTED,
    /** The guest never said hello. */
    START_FAILED,
    PAUSED,
    RESUMED,
    /** It ended, and somebody had asked for it or a limit was reached. */
    ENDED,
    /** It ended, and nobody had asked for it. */
    CRASHED,
    /** Its directory was removed. */
    DESTROYED
}
