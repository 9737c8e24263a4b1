package dev.cloche.pool.core;

import dev.cloche.base.ClocheException;
import dev.cloche.pool.Eviction;
import dev.cloche.pool.PoolConfig;
import dev.cloche.pool.PoolEvent;
import dev.cloche.pool.StackKey;
import dev.cloche.pool.provision.EntryMaker;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Decides what is restored when, and records what comes of it. A part of {@link PoolCore}. */
public final class Restores {
    private final PoolState state;
    private final EntryAssignment assignment;
    private final Supplier<VmId> ids;

    Restores(PoolState state, EntryAssignment assignment, Supplier<VmId> ids) {
        this.state = state;
        this.assignment = assignment;
        this.ids = ids;
    }

    void made(long ticket, SnapshotRef snapshot, Duration maxAge, Duration took, long now) {
        VmId vm = state.vmOf(ticket);
        KeyBucket bucket = state.end(ticket);
        state.count(bucket, PoolCounters.Count.CREATED);
        PoolEntry entry = entry(bucket, snapshot, vm, maxAge, now);
        if (state.closed) {
            // It lies on its shelf.
            return;
        }
        if (state.gone(bucket)) {
            state.doom(entry, bucket, Eviction.ORPHAN, now);
            return;
        }
        if (bucket.stalled) {
            bucket.stalled = false;
            state.tell(new PoolEvent.Recovered(bucket.key()));
        }
        bucket.backoff = bucket.backoff.over();
        bucket.demand = bucket.demand.restored(took);
        bucket.shelve(entry);
        Duration lag = Duration.ofNanos(now - bucket.neededSince.orElse(now));
        state.tell(new PoolEvent.Restored(bucket.key(), vm, took, lag));
    }

    /**
     * Takes note of a restore that made no entry.
     *
     * @param rejected whether its preparation refused it
     * @param left whether its VM resisted its removal
     */
    void failed(long ticket, Throwable why, boolean rejected, boolean left, SnapshotRef snapshot, long now) {
        VmId vm = state.vmOf(ticket);
        KeyBucket bucket = state.end(ticket);
        String sentence = ClocheException.sentenceOf(why);
        if (rejected) {
            state.count(bucket, PoolCounters.Count.CREATED);
            state.count(bucket, PoolCounters.Count.VALIDATION_FAILURES);
            state.evicted(
                    entry(bucket, snapshot, vm, bucket.registration().maxAge(), now), bucket, Eviction.VALIDATION);
        }
        if (left) {
            PoolEntry resisting =
                    entry(bucket, snapshot, vm, bucket.registration().maxAge(), now);
            state.destroyQueue.add(resisting, now);
            state.quarantine(resisting, sentence, now);
        }
        if (!state.gone(bucket)) {
            backOff(bucket, EntryMaker.code(why), sentence, now);
            assignment.restoreFailed(bucket);
        }
    }

    private PoolEntry entry(KeyBucket bucket, SnapshotRef snapshot, VmId vm, Duration maxAge, long now) {
        return PoolEntry.aged(state.number(), bucket.key(), snapshot, vm, Duration.ZERO, maxAge, now);
    }

    private void backOff(KeyBucket bucket, String code, String why, long now) {
        if (state.gone(bucket)) {
            return;
        }
        PoolConfig.Retry retry = state.config.retry();
        bucket.backoff = bucket.backoff.failed(why, retry, now, state.random);
        bucket.counters.failed(code);
        int inARow = bucket.backoff.failures();
        state.tell(new PoolEvent.RestoreFailed(
                bucket.key(), code, why, inARow, Duration.ofNanos(bucket.backoff.retryAt() - now)));
        if (bucket.backoff.broken(retry) && !bucket.stalled) {
            bucket.stalled = true;
            state.tell(new PoolEvent.Stalled(bucket.key(), why, inARow));
        }
    }

    /** Begins what is needed, within the places and the budget; nothing while memory is short. */
    void refill(long now) {
        if (state.shortage.isPresent()) {
            return;
        }
        List<RefillPlan.Need> needs =
                state.buckets.values().stream().map(bucket -> need(bucket, now)).toList();
        long busy = state.buckets.values().stream()
                .flatMap(bucket -> bucket.underway.values().stream())
                .filter(way -> !way.slow(state.config, now))
                .count();
        PoolConfig.Budget budget = state.budget;
        int vms = budget.vms() - state.foreign.vms() - state.vmsInUse();
        long memory = budget.memoryMiB() - state.foreign.memoryMiB() - state.memoryInUse();
        int places = (int) Math.max(0, state.config.parallelRestores() - busy);
        List<StackKey> plan = RefillPlan.plan(needs, places, vms, memory);
        plan.stream()
                .flatMap(key -> Optional.ofNullable(state.buckets.get(key)).stream())
                .forEach(bucket -> begin(bucket, now));
        needs.stream()
                .filter(need -> need.forWaiters() > 0 && !plan.contains(need.key()))
                .filter(need -> vms <= plan.size() || memory < need.key().memoryMiB())
                .findFirst()
                .ifPresent(need -> makeRoom(need.key(), now));
    }

    private RefillPlan.Need need(KeyBucket bucket, long now) {
        RefillPlan.Need need = bucket.need(now);
        return state.pause.holds(!state.leased.isEmpty(), bucket.neededSince, now) ? need.forWaitersAlone() : need;
    }

    private void begin(KeyBucket bucket, long now) {
        VmId vm = ids.get();
        long ticket = state.begin(bucket, vm);
        bucket.underway.put(ticket, new KeyBucket.Underway(bucket.registration().snapshot(), now));
        state.want(new PoolEffect.Restore(ticket, bucket.key(), bucket.registration(), vm));
    }

    /**
     * Makes room for a key that has a waiter and no room in the budget: evicts the oldest idle entry of the deepest
     * other key.
     */
    private void makeRoom(StackKey key, long now) {
        if (state.destroyQueue.makesRoom(now)) {
            return;
        }
        state.buckets.values().stream()
                .filter(bucket -> !bucket.key().equals(key)
                        && bucket.registration().keeps()
                        && bucket.ready.size() > bucket.depth().min())
                .max((a, b) -> Integer.compare(a.ready.size(), b.ready.size()))
                .ifPresent(bucket -> state.doom(bucket.ready.removeLast(), bucket, Eviction.BUDGET, now));
    }
}
