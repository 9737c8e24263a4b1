package dev.cloche.pool;

import dev.cloche.vm.PooledVm;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What other processes have left on this host, and what of it becomes this pool's. A part of {@link PoolCore}. */
final class Adoptions {
    private final PoolState state;
    private boolean sweeping;

    Adoptions(PoolState state) {
        this.state = state;
    }

    /** Looks around, unless that is being done. */
    void sweep() {
        if (!sweeping) {
            sweeping = true;
            state.want(new Effect.Sweep());
        }
    }

    /** What others have left, and what of it still needs them; what nobody owns is gone by now. */
    void swept(List<PooledVm> found, long now) {
        sweeping = false;
        Set<VmId> ours = new HashSet<>();
        state.underway().forEach(ours::add);
        state.entries().forEach(entry -> ours.add(entry.vm().id()));
        List<PooledVm> others =
                found.stream().filter(vm -> !ours.contains(vm.id())).toList();
        state.foreign = new PoolState.Foreign(
                others.size(), others.stream().mapToLong(PooledVm::memoryMiB).sum());
        if (state.closed) {
            return;
        }
        state.buckets.values().forEach(bucket -> bucket.swept = true);
        others.stream()
                .filter(vm -> vm.stage() == PooledVm.Stage.SHELVED)
                .forEach(vm -> StackKey.ofLabel(vm.slot().label())
                        .flatMap(key -> Optional.ofNullable(state.buckets.get(key)))
                        .filter(bucket -> vm.age().compareTo(state.config.entryMaxAge()) < 0)
                        .filter(bucket -> wanted(bucket, now))
                        .ifPresent(bucket -> begin(bucket, vm, now)));
    }

    private boolean wanted(Bucket bucket, long now) {
        if (state.vmsInUse() >= state.config.budget().vms()) {
            return false;
        }
        int have = bucket.ready.size() + bucket.checking.size() + bucket.underway.size();
        return have < bucket.target(now) + bucket.waiters.size();
    }

    private void begin(Bucket bucket, PooledVm left, long now) {
        long ticket = state.begin(bucket, left.id());
        bucket.underway.put(ticket, new Bucket.Underway(snapshot(bucket, left), now, true));
        state.want(new Effect.Adopt(ticket, bucket.key(), left));
    }

    void adopted(long ticket, Vm vm, PooledVm left, long now) {
        Bucket bucket = state.end(ticket);
        Entry entry =
                state.entry(bucket, snapshot(bucket, left), vm, now - left.age().toNanos(), now);
        state.count(bucket, Tally.Count.ADOPTED);
        if (state.gone(bucket)) {
            state.want(new Effect.Leave(entry));
        } else {
            state.tell(new PoolEvent.Adopted(bucket.key(), vm.id()));
            bucket.ready.addLast(entry);
        }
    }

    /** Somebody else was faster, or the VM is gone. */
    void notAdopted(long ticket) {
        var _ = state.end(ticket);
    }

    private static SnapshotRef snapshot(Bucket bucket, PooledVm left) {
        return left.snapshot().orElse(bucket.registration().snapshot());
    }
}
