package dev.cloche.interpreter;

/** How a cell ended. */
public enum CellOutcome {
    /** Its code ran to the end. */
    COMPLETED,
    /** Its code threw an error, which {@link CellResult#error()} has. */
    FAILED,
    /** It was interrupted, and its context goes on. */
    INTERRUPTED,
    /** It took longer than its timeout, and was interrupted or, with its context, killed. */
    TIMED_OUT,
    /** The process of its context ended before it did. */
    CONTEXT_ENDED
}
