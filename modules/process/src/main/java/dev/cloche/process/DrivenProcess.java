package dev.cloche.process;

import java.time.Duration;

/** A process in the hands of its driver. Safe for use from many threads. */
public final class DrivenProcess {
    private final ProcessRegistry registry;
    private final Claim claim;
    private final LeaseKeeper keeper;

    DrivenProcess(ProcessRegistry registry, Claim claim, LeaseKeeper keeper) {
        this.registry = registry;
        this.claim = claim;
        this.keeper = keeper;
    }

    /** As it was when it was claimed. Its attempts say how many drivers it has had, this one among them. */
    public ProcessRecord process() {
        return claim.process();
    }

    /** Under which it is driven. The fence tells apart what this driver did outside from what earlier ones did. */
    public Lease lease() {
        return claim.lease();
    }

    /**
     * Whether the lease is still held, as far as this host knows without asking. What cannot be fenced is best begun only
     * after a look here; what can be is safe without.
     */
    public boolean held() {
        return keeper.held();
    }

    /**
     * Waits, as long as the lease is held, before something is tried again.
     *
     * @return whether it is held when the pause is over
     * @throws InterruptedException if this thread is interrupted, because the lease is lost or the worker ends
     */
    public boolean heldAfter(Duration pause) throws InterruptedException {
        return keeper.heldAfter(pause);
    }

    /**
     * Appends an event as the holder of the lease.
     *
     * @throws ProcessException.LeaseLost if it is not that any more
     */
    public Appended append(EventAppend event) {
        return registry.append(claim.lease(), event);
    }
}
