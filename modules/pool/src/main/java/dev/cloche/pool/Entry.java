package dev.cloche.pool;

import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;

/**
 * A prepared VM of the pool. Its times are monotonic nanoseconds; {@code checkedAt} is guarded by the pool's lock.
 */
final class Entry {
    private final long number;
    private final StackKey key;
    private final SnapshotRef snapshot;
    private final Vm vm;
    private final long bornAt;
    private final long replaceAt;
    private final long endAt;
    private long checkedAt;

    Entry(long number, StackKey key, SnapshotRef snapshot, Vm vm, long bornAt, long replaceAt, long endAt, long now) {
        this.number = number;
        this.key = key;
        this.snapshot = snapshot;
        this.vm = vm;
        this.bornAt = bornAt;
        this.replaceAt = replaceAt;
        this.endAt = endAt;
        checkedAt = now;
    }

    long number() {
        return number;
    }

    StackKey key() {
        return key;
    }

    SnapshotRef snapshot() {
        return snapshot;
    }

    Vm vm() {
        return vm;
    }

    long bornAt() {
        return bornAt;
    }

    long replaceAt() {
        return replaceAt;
    }

    long endAt() {
        return endAt;
    }

    long checkedAt() {
        return checkedAt;
    }

    void checked(long now) {
        checkedAt = now;
    }

    EvictionPlan.Candidate candidate(SnapshotRef current) {
        return new EvictionPlan.Candidate(number, bornAt, replaceAt, endAt, snapshot.equals(current));
    }

    @Override
    public String toString() {
        return vm.id() + " of " + key;
    }
}
