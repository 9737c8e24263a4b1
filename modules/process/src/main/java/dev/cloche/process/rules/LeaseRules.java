package dev.cloche.process.rules;

import dev.cloche.process.Lease;
import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessLeases;
import dev.cloche.process.ProcessStatus;
import dev.cloche.process.store.LeaseRow;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.StoreTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides about leases: plain functions of rows and a moment. A lease whose owner has died expires, for nothing renews it; the
 * next owner that claims the process gets a higher fence, with which no write of the dead one passes.
 */
public final class LeaseRules {
    private LeaseRules() {}

    /** Says what is to be recorded about the lease of a process. */
    public record Decision(Optional<LeaseRow> lease, long fence, int attempts) {}

    /** Decides on a claim of a process that {@code owner} may lease. */
    public static Decision claim(ProcessHead process, String owner, String token, long ttlMillis, StoreTime now) {
        Optional<LeaseRow> live = process.lease().filter(lease -> lease.isLive(now));
        if (live.isPresent() && !live.get().owner().equals(owner)) {
            LeaseRow holder = live.get();
            throw new ProcessException.AlreadyLeased(process.id(), holder.owner(), expiry(holder, now));
        }
        long fence = Math.addExact(process.fence(), 1);
        LeaseRow taken = new LeaseRow(owner, token, fence, now.epoch(), now.ticksAfter(ttlMillis), now.wall());
        boolean rotates = live.isPresent();
        // To be driven again is an attempt; to rotate a token is not, and neither is cleaning up.
        boolean attempt = !rotates && process.status() == ProcessStatus.RUNNING;
        return new Decision(
                Optional.of(taken), fence, attempt ? saturatingIncrement(process.attempts()) : process.attempts());
    }

    public static Decision renew(ProcessHead process, Lease lease, long ttlMillis, StoreTime now) {
        LeaseRow held = held(process, lease, now);
        LeaseRow renewed = new LeaseRow(
                held.owner(), held.token(), held.fence(), now.epoch(), now.ticksAfter(ttlMillis), held.claimedAt());
        return new Decision(Optional.of(renewed), process.fence(), process.attempts());
    }

    /**
     * Returns the stored row of a lease that is held.
     *
     * @throws ProcessException.LeaseLost if it is another's, or has expired
     */
    public static LeaseRow held(ProcessHead process, Lease lease, StoreTime now) {
        return process.lease()
                .filter(row -> isHeldBy(row, lease, now))
                .orElseThrow(() -> new ProcessException.LeaseLost(lease));
    }

    public static boolean isHeldBy(LeaseRow row, Lease lease, StoreTime now) {
        return matches(row, lease) && row.isLive(now);
    }

    /**
     * Decides about a release; empty if it is stale. The holder of an expired lease may still give it back, unless another
     * owner took it.
     */
    public static Optional<Decision> release(ProcessHead process, Lease lease) {
        // An owner that gives it back was not lost.
        return process.lease()
                .filter(row -> matches(row, lease))
                .map(_ -> new Decision(
                        Optional.empty(),
                        process.fence(),
                        process.status().terminal() ? process.attempts() : Math.max(0, process.attempts() - 1)));
    }

    /** Returns whether workers have to be told, who wait for the end of the lease that they know of. */
    public static boolean endsEarlier(ProcessHead process, Decision decision, StoreTime now) {
        return process.status() == ProcessStatus.RUNNING
                && process.lease().filter(row -> row.isLive(now)).isPresent()
                && decision.lease().map(LeaseRow::expiresTicks).orElse(Long.MIN_VALUE)
                        < process.lease().get().expiresTicks();
    }

    public static Lease lease(ProcessHead process, LeaseRow row, StoreTime now) {
        return new Lease(process.id(), row.owner(), row.token(), row.fence(), row.claimedAt(), expiry(row, now));
    }

    public static long requireTtl(Duration ttl) {
        if (ttl.compareTo(Duration.ofMillis(1)) < 0 || ttl.compareTo(ProcessLeases.LONGEST_LEASE) > 0) {
            throw new ProcessException.Invalid(
                    "a lease lasts from 1 ms to " + ProcessLeases.LONGEST_LEASE.toHours() + " h, not " + ttl);
        }
        return ttl.toMillis();
    }

    private static boolean matches(LeaseRow row, Lease lease) {
        return row.token().equals(lease.token())
                && row.fence() == lease.fence()
                && row.owner().equals(lease.owner());
    }

    /** By the wall clock, of a live lease. */
    private static Instant expiry(LeaseRow row, StoreTime now) {
        return now.wall().plusMillis(row.expiresTicks() - now.ticks());
    }

    private static int saturatingIncrement(int value) {
        return value == Integer.MAX_VALUE ? value : value + 1;
    }
}
