package dev.cloche.pool.core;

import dev.cloche.pool.Eviction;
import dev.cloche.pool.PoolConfig;
import dev.cloche.pool.PoolException;
import dev.cloche.pool.PoolMetrics;
import dev.cloche.pool.Registration;
import dev.cloche.pool.StackKey;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Takes all decisions of a pool: a state machine without I/O, threads or clocks. Its driver calls one method at a time,
 * tells it the monotonic time in nanoseconds, and does the {@link #drain effects}. Each event is taken by the part that
 * it concerns, and then what follows for all waiters and entries is {@link #settle settled}.
 */
public final class PoolCore {
    final PoolState state;
    private final EntryAssignment assignment;
    private final Restores restores;
    private final ShelfReconciliation shelves;
    private final MemoryRelief relief;
    private long refillRuns;
    private long sweepAt;
    /** The time up to which everything that was due has begun. */
    private long settledAt;

    /** Makes a core without keys. Its random numbers are for jitter, not for secrets. */
    public PoolCore(PoolConfig config, RandomGenerator random, Supplier<VmId> ids, long now) {
        state = new PoolState(config, random);
        assignment = new EntryAssignment(state);
        restores = new Restores(state, assignment, ids);
        shelves = new ShelfReconciliation(state);
        relief = new MemoryRelief(state);
        sweepAt = now + config.refillInterval().toNanos();
        settledAt = now;
    }

    /** Returns what is to be done, in order; each is answered once. */
    public List<PoolEffect> drain() {
        return state.drain();
    }

    public void register(StackKey key, Registration registration, long now) {
        state.requireOpen();
        SnapshotRef snapshot = registration.snapshot();
        if (snapshot.cpus() != key.cpus() || snapshot.memoryMiB() != key.memoryMiB()) {
            throw new PoolException.Invalid(
                    "The snapshot " + snapshot.name() + " has " + snapshot.cpus() + " processors and "
                            + snapshot.memoryMiB() + " MiB, its key says otherwise: " + key,
                    "Register it under a key of its own size.");
        }
        KeyBucket known = state.buckets.get(key);
        if (known != null) {
            known.replace(registration);
        } else {
            state.buckets.put(key, new KeyBucket(key, state.config, registration, now));
            shelves.sweep(now);
        }
        settle(now);
    }

    /** Drops the registration of a key; what is ready of it is destroyed, if this process keeps its shelf. */
    public void unregister(StackKey key, long now) {
        KeyBucket gone = state.buckets.remove(key);
        if (gone == null) {
            return;
        }
        assignment.failAll(gone, new PoolException.UnknownKey(key));
        for (PoolEntry entry : gone.ready) {
            if (gone.registration().keeps()) {
                state.doom(entry, gone, Eviction.UNREGISTER, now);
            } else {
                state.forget(entry, gone, Eviction.UNREGISTER);
            }
        }
        gone.ready.clear();
        gone.underway.keySet().forEach(ticket -> state.want(new PoolEffect.Cancel(ticket)));
        settle(now);
    }

    public Waiter request(StackKey key, long now) {
        state.requireOpen();
        KeyBucket bucket = state.buckets.get(key);
        if (bucket == null) {
            throw new PoolException.UnknownKey(key);
        }
        Waiter waiter = assignment.queue(bucket, now);
        settle(now);
        boolean hit = waiter.grant().getNow(null) instanceof Waiter.Grant.Ready;
        state.count(bucket, hit ? PoolCounters.Count.HITS : PoolCounters.Count.MISSES);
        return waiter;
    }

    /** Ends the wait of an acquirer; what it was granted meanwhile goes to the next. */
    public void cancel(Waiter waiter, long now) {
        assignment.cancel(waiter).ifPresent(entry -> assignment.returned(entry, now));
        settle(now);
    }

    /** Puts a waiter back where it was in the queue, because what it was granted was of no use. */
    public void again(Waiter waiter, PoolEntry broken, Eviction cause, long now) {
        lost(broken, cause, now);
        assignment.again(waiter);
        settle(now);
    }

    /** Takes back an entry that was leased and is as good as before. */
    public void returned(PoolEntry entry, long now) {
        assignment.returned(entry, now);
        settle(now);
    }

    /** Drops an entry that was leased and is of no use to this pool; what is left of it has been seen to. */
    public void lost(PoolEntry entry, Eviction cause, long now) {
        assignment.lost(entry, cause);
        settle(now);
    }

    public void handedOver(PoolEntry entry, long now) {
        state.handedOver(entry, now);
        settle(now);
    }

    /** Adds the entry of a restore that succeeded: it lies on its shelf. */
    public void made(long ticket, SnapshotRef snapshot, Duration maxAge, Duration took, long now) {
        restores.made(ticket, snapshot, maxAge, took, now);
        settle(now);
    }

    /**
     * Takes note of a restore that made no entry.
     *
     * @param rejected whether its preparation refused it
     * @param left whether its VM resisted its removal
     */
    public void failed(long ticket, Throwable why, boolean rejected, boolean left, SnapshotRef snapshot, long now) {
        restores.failed(ticket, why, rejected, left, snapshot, now);
        settle(now);
    }

    /** Drops an entry that is destroyed: it is gone, or another process has it. */
    public void destroyed(PoolEntry entry, long now) {
        state.destroyed(entry);
        settle(now);
    }

    public void destroyFailed(PoolEntry entry, String why, long now) {
        state.quarantine(entry, why, now);
        settle(now);
    }

    public void budget(PoolConfig.Budget budget, long now) {
        state.budget = budget;
        settle(now);
    }

    /** Says whether it matters to this pool what memory the host has: without keys it has nothing and makes nothing. */
    public boolean needsMemory() {
        return !state.closed && !state.buckets.isEmpty();
    }

    /**
     * Takes in a look at the host's memory: while it is short, entries go and none is made.
     *
     * @param shortage part of a sentence on what is short; empty if nothing is
     * @return what of that is to be told
     */
    public MemoryRelief.Change memory(Optional<String> shortage, long now) {
        boolean before = state.shortage.isPresent();
        if (state.closed || (shortage.isEmpty() && !before)) {
            return MemoryRelief.Change.NONE;
        }
        MemoryRelief.Change change = relief.seen(shortage, now);
        settle(now);
        return change;
    }

    /** Has the shelves looked at, for another process may have changed something on them. */
    public void sweep(long now) {
        if (!state.closed) {
            shelves.sweep(now);
        }
    }

    /** Takes note that the shelves could not be looked at. */
    public void notSwept(long now) {
        shelves.notSwept();
        settle(now);
    }

    /** Takes in what lies on the shelves, as {@link ShelfReconciliation#swept} has it. */
    public void swept(List<PooledVm> found, Set<VmId> ended, long looked, long now) {
        shelves.swept(found, ended, looked, now);
        settle(now);
    }

    /** Does what is due by the passing of time. */
    public void tick(long now) {
        if (state.closed) {
            return;
        }
        if (now - sweepAt >= 0) {
            sweepAt = now + state.config.refillInterval().toNanos();
            shelves.sweep(now);
        }
        state.destroyQueue.due(now).forEach(entry -> state.want(new PoolEffect.Destroy(entry)));
        settle(now);
    }

    /**
     * Returns how long it is until the next tick, at least a millisecond. What became due since the core was last asked
     * anything counts.
     */
    public Duration untilDue(long now) {
        return Duration.ofNanos(Math.max(nanosUntilDue(now), 1_000_000));
    }

    /** Says whether something is due now. */
    public boolean isDue(long now) {
        return nanosUntilDue(now) <= 0;
    }

    private long nanosUntilDue(long now) {
        long sinceSettled = Stream.concat(
                        Stream.of(
                                OptionalLong.of(sweepAt - settledAt),
                                state.destroyQueue.untilDue(settledAt),
                                state.pause.due(settledAt)),
                        state.buckets.values().stream().map(bucket -> bucket.due(settledAt)))
                .flatMapToLong(OptionalLong::stream)
                .min()
                .orElse(Long.MAX_VALUE);
        return sinceSettled - (now - settledAt);
    }

    /** Closes the core: no acquirer is served any more, and what lies on the shelves stays there. */
    public void close() {
        if (state.closed) {
            return;
        }
        state.closed = true;
        for (KeyBucket bucket : state.buckets.values()) {
            assignment.failAll(bucket, new PoolException.Closed());
            // They lie on their shelves, for the next process or until their guards end them.
            bucket.ready.clear();
        }
        state.cancelAll();
        state.destroyQueue.giveUp();
    }

    /** Says whether a closed pool has nothing under way. */
    public boolean idle() {
        return state.idle();
    }

    public PoolMetrics metrics(long now) {
        Map<StackKey, PoolMetrics.Key> keys = new TreeMap<>();
        state.buckets.forEach((key, bucket) -> keys.put(key, bucket.metrics(now)));
        PoolCounters total = state.total;
        return new PoolMetrics(
                total.get(PoolCounters.Count.CREATED),
                total.get(PoolCounters.Count.ADOPTED),
                total.get(PoolCounters.Count.ACQUIRED),
                total.evictions().values().stream().mapToLong(Long::longValue).sum(),
                refillRuns,
                total.get(PoolCounters.Count.VALIDATION_FAILURES),
                state.destroyQueue.quarantined(),
                Map.copyOf(keys));
    }

    /** Does what follows from any event: waiters are served, what goes is destroyed, what is missing is restored. */
    private void settle(long now) {
        if (state.closed) {
            return;
        }
        settledAt = now;
        refillRuns++;
        for (KeyBucket bucket : List.copyOf(state.buckets.values())) {
            assignment.serve(bucket, now);
            bucket.going(now).forEach(going -> state.doom(bucket.remove(going.number()), bucket, going.cause(), now));
        }
        restores.refill(now);
    }
}
