package dev.cloche.pool.core;

import dev.cloche.pool.Eviction;
import dev.cloche.pool.PoolEvent;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Reconciles what this pool knows of its shelves with what lies there, for other processes use them too. A part of
 * {@link PoolCore}.
 */
final class ShelfReconciliation {
    private final PoolState state;
    private boolean sweeping;
    private boolean again;
    private long sweptFrom;
    /** Holds what left this pool since the shelves were begun to be looked at; what was found of it may be old news. */
    private final Set<VmId> parted = new HashSet<>();

    ShelfReconciliation(PoolState state) {
        this.state = state;
        state.onParting(parted::add);
    }

    /** Looks at the shelves; if that is being done, once more after it. */
    void sweep(long now) {
        if (sweeping) {
            again = true;
            return;
        }
        sweeping = true;
        again = false;
        sweptFrom = now;
        parted.clear();
        state.want(new PoolEffect.Sweep());
    }

    /** Ends a look at the shelves that failed; what was known stays as it was. */
    void notSwept() {
        sweeping = false;
        state.buckets.values().forEach(bucket -> bucket.swept = true);
    }

    /**
     * Takes in what was found.
     *
     * @param found without what no process owns and none can use, which has been removed
     * @param ended what of that had been a whole entry
     * @param looked when the look began that the ages are from
     */
    void swept(List<PooledVm> found, Set<VmId> ended, long looked, long now) {
        sweeping = false;
        Set<VmId> known = state.known();
        List<PooledVm> others = found.stream()
                .filter(vm -> !known.contains(vm.id()) && !parted.contains(vm.id()))
                .toList();
        if (state.closed) {
            return;
        }
        forgetMissing(found, ended, now);
        List<PooledVm> foreign = new ArrayList<>();
        Map<KeyBucket, Integer> opening = new HashMap<>();
        for (PooledVm vm : others) {
            if (!known(vm, vm.age().plusNanos(now - looked), now)) {
                foreign.add(vm);
                if (vm.stage() == PooledVm.Stage.OPEN) {
                    state.bucket(vm).ifPresent(bucket -> opening.merge(bucket, 1, Integer::sum));
                }
            }
        }
        state.buckets.values().forEach(bucket -> {
            bucket.swept = true;
            bucket.openingElsewhere = opening.getOrDefault(bucket, 0);
        });
        state.foreign = new PoolState.Foreign(
                foreign.size(), foreign.stream().mapToLong(PooledVm::memoryMiB).sum());
        if (again) {
            sweep(now);
        }
    }

    /**
     * Forgets what does not lie there any more although it did before the look: taken by another process, or its VM has
     * ended.
     */
    private void forgetMissing(List<PooledVm> found, Set<VmId> ended, long now) {
        Map<VmId, PooledVm> lying = found.stream()
                .filter(vm -> vm.stage() == PooledVm.Stage.SHELVED)
                .collect(Collectors.toMap(PooledVm::id, Function.identity(), (one, _) -> one));
        Set<VmId> broken = new HashSet<>(ended);
        found.stream().filter(vm -> vm.stage() == PooledVm.Stage.ENDED).forEach(vm -> broken.add(vm.id()));
        for (KeyBucket bucket : state.buckets.values()) {
            List<PoolEntry> missing = bucket.ready.stream()
                    .filter(entry -> entry.knownSince() - sweptFrom < 0 && !lying.containsKey(entry.vm()))
                    .toList();
            for (PoolEntry entry : missing) {
                bucket.ready.remove(entry);
                boolean taken = !broken.contains(entry.vm());
                if (taken) {
                    bucket.demand = bucket.demand.arrived(now);
                }
                state.forget(entry, bucket, taken ? Eviction.ELSEWHERE : Eviction.ENDED);
            }
        }
    }

    /** Says whether a VM is an entry of one of our keys from now on. */
    private boolean known(PooledVm vm, Duration age, long now) {
        if (vm.stage() != PooledVm.Stage.SHELVED || age.compareTo(vm.slot().maxAge()) >= 0) {
            return false;
        }
        return state.bucket(vm)
                .map(bucket -> {
                    SnapshotRef snapshot =
                            vm.snapshot().orElse(bucket.registration().snapshot());
                    PoolEntry entry = PoolEntry.aged(
                            state.number(),
                            bucket.key(),
                            snapshot,
                            vm.id(),
                            age,
                            vm.slot().maxAge(),
                            now);
                    bucket.shelve(entry);
                    state.count(bucket, PoolCounters.Count.ADOPTED);
                    state.tell(new PoolEvent.Adopted(bucket.key(), vm.id()));
                    return true;
                })
                .orElse(false);
    }
}
