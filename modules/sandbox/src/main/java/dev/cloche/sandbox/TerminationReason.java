package dev.cloche.sandbox;

/** Why a run ended. */
public enum TerminationReason {
    /** Its main command exited with 0, or its owner closed it. */
    COMPLETED,
    /** Its main command exited with another code or was killed by a signal. */
    FAILED,
    /** It reached the longest time that it was given. */
    MAX_DURATION_EXCEEDED,
    /** Nobody used it for as long as its idle timeout says. */
    IDLE_TIMEOUT,
    /** Its guest was alive and did not answer its owner. */
    AGENT_UNRESPONSIVE,
    /** Somebody asked for the end, and the guest or the guard carried it out. */
    SHUTDOWN_REQUESTED,
    /** Somebody asked for the end once the commands in it had finished. */
    DRAIN_REQUESTED,
    /** The VM's process was killed by a signal, which somebody asked Cloche for or not. */
    SIGNAL,
    /** The VM ended without a word from its guest, its owner died, or it never started. */
    INTERNAL_ERROR;

    /**
     * Where a sandbox is after a run that ended for this reason.
     *
     * @param asked whether somebody had asked for its end
     */
    public SandboxStatus status(boolean asked) {
        return switch (this) {
            case COMPLETED, FAILED, MAX_DURATION_EXCEEDED, IDLE_TIMEOUT, SHUTDOWN_REQUESTED, DRAIN_REQUESTED ->
                SandboxStatus.STOPPED;
            case AGENT_UNRESPONSIVE, INTERNAL_ERROR -> SandboxStatus.CRASHED;
            case SIGNAL -> asked ? SandboxStatus.STOPPED : SandboxStatus.CRASHED;
        };
    }

    /** Whether a restart after failures is meant for it. Reaching a limit that was set is no failure. */
    public boolean failure() {
        return switch (this) {
            case FAILED, AGENT_UNRESPONSIVE, SIGNAL, INTERNAL_ERROR -> true;
            case COMPLETED, MAX_DURATION_EXCEEDED, IDLE_TIMEOUT, SHUTDOWN_REQUESTED, DRAIN_REQUESTED -> false;
        };
    }

    /** Whether it is one that an end can be asked for with, before it comes. */
    public boolean canBeAsked() {
        return switch (this) {
            case IDLE_TIMEOUT, AGENT_UNRESPONSIVE, SHUTDOWN_REQUESTED, DRAIN_REQUESTED, SIGNAL -> true;
            case COMPLETED, FAILED, MAX_DURATION_EXCEEDED, INTERNAL_ERROR -> false;
        };
    }
}
