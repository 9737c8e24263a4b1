package dev.cloche.vm;

/** Says where a VM is in its life. What may follow on what is a table of those who make VMs. */
public enum VmState {
    /** It has a directory, but has not run yet. */
    CREATED,
    /** Its guest runs. */
    RUNNING,
    /** Its guest is halted in memory. */
    PAUSED,
    /** It has ended as wanted: shut down or killed on request, or at a limit that was set. */
    STOPPED,
    /** It did not start, or ended without a request. */
    FAILED,
    /** Its directory is gone. */
    DESTROYED;

    /** Returns whether a guest exists: {@link #RUNNING} or {@link #PAUSED}. */
    public boolean live() {
        return this == RUNNING || this == PAUSED;
    }
}
