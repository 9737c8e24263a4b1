package dev.cloche.sandbox;

/** Says why a run ended. */
public enum TerminationReason {
    /** Its main command exited with 0, or its owner closed it. */
    COMPLETED,
    /** Its main command exited with another code or was killed by a signal. */
    FAILED,
    /** It reached the longest time that it was given. */
    MAX_DURATION_EXCEEDED,
    /** It was not used for as long as its idle timeout says. */
    IDLE_TIMEOUT,
    /** Its guest was alive and did not answer its owner. */
    AGENT_UNRESPONSIVE,
    /** The end was asked for, and the guest or the guard carried it out. */
    SHUTDOWN_REQUESTED,
    /** The end was asked for once the commands in it had finished. */
    DRAIN_REQUESTED,
    /** The VM's process was killed by a signal, which Cloche was asked for or not. */
    SIGNAL,
    /** The VM ended without a word from its guest, its owner died, or it never started. */
    INTERNAL_ERROR;

    /**
     * Returns the status of a sandbox after a run that ended for this reason.
     *
     * @param asked whether its end had been asked for
     */
    public SandboxStatus status(boolean asked) {
        return switch (this) {
            case COMPLETED, FAILED, MAX_DURATION_EXCEEDED, IDLE_TIMEOUT, SHUTDOWN_REQUESTED, DRAIN_REQUESTED ->
                SandboxStatus.STOPPED;
            case AGENT_UNRESPONSIVE, INTERNAL_ERROR -> SandboxStatus.CRASHED;
            case SIGNAL -> asked ? SandboxStatus.STOPPED : SandboxStatus.CRASHED;
        };
    }

    /** Says whether a restart after failures is meant for it. Reaching a limit that was set is no failure. */
    public boolean failure() {
        return switch (this) {
            case FAILED, AGENT_UNRESPONSIVE, SIGNAL, INTERNAL_ERROR -> true;
            case COMPLETED, MAX_DURATION_EXCEEDED, IDLE_TIMEOUT, SHUTDOWN_REQUESTED, DRAIN_REQUESTED -> false;
        };
    }

    /** Says whether it is one that an end can be asked for with, before it comes. */
    public boolean canBeAsked() {
        return switch (this) {
            case IDLE_TIMEOUT, AGENT_UNRESPONSIVE, SHUTDOWN_REQUESTED, DRAIN_REQUESTED, SIGNAL -> true;
            case COMPLETED, FAILED, MAX_DURATION_EXCEEDED, INTERNAL_ERROR -> false;
        };
    }
}
