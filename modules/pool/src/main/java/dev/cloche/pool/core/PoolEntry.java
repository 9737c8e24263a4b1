package dev.cloche.pool.core;

import dev.cloche.pool.StackKey;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmId;
import java.time.Duration;

/**
 * Describes a prepared VM on its shelf, which no process owns until its hand-off. Times are monotonic nanoseconds.
 *
 * @param number never given twice in one core
 * @param replaceAt from then on another one takes its place
 * @param endAt from then on its guard ends it
 * @param knownSince when this core came to know of it
 */
public record PoolEntry(
        long number,
        StackKey key,
        SnapshotRef snapshot,
        VmId vm,
        long bornAt,
        long replaceAt,
        long endAt,
        long knownSince) {
    /** Makes an entry that is that old now. */
    static PoolEntry aged(
            long number, StackKey key, SnapshotRef snapshot, VmId vm, Duration age, Duration maxAge, long now) {
        long bornAt = now - age.toNanos();
        return new PoolEntry(
                number,
                key,
                snapshot,
                vm,
                bornAt,
                bornAt + replacedAfter(vm, maxAge).toNanos(),
                bornAt + maxAge.toNanos(),
                now);
    }

    /**
     * Returns an age between 75 and 95 % of the longest, which depends on the VM's id alone: the entries of one refill do not
     * all go at once, and all processes replace one at the same time.
     */
    static Duration replacedAfter(VmId vm, Duration maxAge) {
        long share = 750L + Math.floorMod(vm.value().hashCode(), 200);
        return maxAge.multipliedBy(share).dividedBy(1000);
    }

    /** Returns the same entry, looked at now. */
    PoolEntry knownAgain(long now) {
        return new PoolEntry(number, key, snapshot, vm, bornAt, replaceAt, endAt, now);
    }

    EvictionPlan.Candidate candidate(SnapshotRef current) {
        return new EvictionPlan.Candidate(number, bornAt, replaceAt, endAt, snapshot.equals(current));
    }

    @Override
    public String toString() {
        return vm + " of " + key;
    }
}
