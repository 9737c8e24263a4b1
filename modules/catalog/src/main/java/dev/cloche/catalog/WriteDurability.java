package dev.cloche.catalog;

/**
 * Says when what a transaction wrote is on the disk. All processes see it once the write has returned, and no death of a process
 * undoes it; the difference is a crash of the host.
 */
public enum WriteDurability {
    /** Before the write returns, and all that was written before it too. Costs a flush of the disk. */
    FORCED,

    /**
     * With the next write that is forced, by any process. A crash of the host before that takes it back, with all that was
     * written after it, so the catalog is as it was at an earlier moment. For what such a crash makes void in any case, as what
     * is recorded of VMs that run.
     */
    WITH_NEXT
}
