package dev.cloche.process;

import dev.cloche.base.EnumNames;

/** Says what a process waits for. */
public enum ProcessPhase {
    /** Its end: a holder of its lease drives it. */
    DRIVEN,
    /** A worker that takes it: nothing holds it. */
    CLAIMABLE,
    /** The end of a pause, after which workers are offered it. */
    PAUSED,
    /** A worker that takes it or gives it up: its owner was lost. */
    LOST,
    /** Something outside, which drives it ({@link RecoveryPolicy.ExternallyOwned}). */
    EXTERNAL,
    /** Nothing. */
    ENDED;

    /** Returns it in lower case, as it is printed. */
    public String word() {
        return EnumNames.of(this);
    }
}
