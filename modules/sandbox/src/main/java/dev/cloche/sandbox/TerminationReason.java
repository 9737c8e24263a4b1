package dev.cloche.sandbox;

/** Why a run ended. */
public enum TerminationReason {
    /** Its main command exited with 0, or its owner closed it. */
    COMPLETED(SandboxStatus.STOPPED),
    /** Its main command exited with another code or was killed by a signal. */
    FAILED(SandboxStatus.STOPPED),
    /** It reached the longest time that it was given. */
    MAX_DURATION_EXCEEDED(SandboxStatus.STOPPED),
    /** Somebody asked for the end, and the guest or the guard carried it out. */
    SHUTDOWN_REQUESTED(SandboxStatus.STOPPED),
    /** The VM's process was killed by a signal that Cloche did not send. */
    SIGNAL(SandboxStatus.CRASHED),
    /** The VM ended without a word from its guest, its owner died, or it never started. */
    INTERNAL_ERROR(SandboxStatus.CRASHED);

    private final SandboxStatus status;

    TerminationReason(SandboxStatus status) {
        this.status = status;
    }

    /** Where a sandbox is after a run that ended for this reason. */
    public SandboxStatus status() {
        return status;
    }
}
