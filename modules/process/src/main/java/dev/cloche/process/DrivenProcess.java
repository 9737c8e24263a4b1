package dev.cloche.process;

import dev.cloche.process.worker.LeaseRenewer;
import java.time.Duration;
import java.util.Optional;

/** A process in the hands of its driver. Safe for use from many threads. */
public final class DrivenProcess {
    private final ProcessRegistry registry;
    private final Claim claim;
    private final LeaseRenewer renewer;
    private volatile Optional<Return> asked = Optional.empty();

    /** Says how a driver gives a process back. */
    record Return(Backoff pauses, String why) {}

    DrivenProcess(ProcessRegistry registry, Claim claim, LeaseRenewer renewer) {
        this.registry = registry;
        this.claim = claim;
        this.renewer = renewer;
    }

    /** Returns it as it was when it was claimed. Its attempts say how many drivers it has had, this one among them. */
    public ProcessRecord process() {
        return claim.process();
    }

    /**
     * Returns the lease under which it is driven. The fence tells apart what this driver did outside from what earlier ones
     * did.
     */
    public Lease lease() {
        return claim.lease();
    }

    /**
     * Returns whether the lease is still held, as far as this host knows without asking. What cannot be fenced is best begun
     * only after a look here; what can be is safe without.
     */
    public boolean held() {
        return renewer.held();
    }

    /**
     * Waits, as long as the lease is held, before something is tried again.
     *
     * @return whether it is held when the pause is over
     * @throws InterruptedException if this thread is interrupted, because the lease is lost or the worker ends
     */
    public boolean heldAfter(Duration pause) throws InterruptedException {
        return renewer.heldAfter(pause);
    }

    /**
     * Gives the process back for a driver that can do nothing for now: {@code return process.later(…)}, and no worker is
     * offered it before the pause is over.
     *
     * @param pause from 1 ms to {@link ProcessLeases#LONGEST_LEASE}
     * @param why what it waits for, for those who look at it
     */
    public Optional<AwaitOutput> later(Duration pause, String why) {
        asked = Optional.of(new Return(Backoff.of(pause), why));
        return Optional.empty();
    }

    Return givenBack(Backoff usual, String why) {
        return asked.orElseGet(() -> new Return(usual, why));
    }

    /**
     * Appends an event as the holder of the lease.
     *
     * @throws ProcessException.LeaseLost if it is not that any more
     */
    public AppendResult append(EventAppend event) {
        return registry.append(claim.lease(), event);
    }
}
