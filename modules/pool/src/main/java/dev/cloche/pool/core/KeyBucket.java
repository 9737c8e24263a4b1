package dev.cloche.pool.core;

import dev.cloche.pool.DepthPolicy;
import dev.cloche.pool.PoolConfig;
import dev.cloche.pool.PoolMetrics;
import dev.cloche.pool.Registration;
import dev.cloche.pool.StackKey;
import dev.cloche.vm.SnapshotRef;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Holds the entries, waiters and restores of one registration of a key; a new registration after an unregistration is
 * another bucket. Guarded by the pool's lock.
 */
public final class KeyBucket {
    private final StackKey key;
    private final PoolConfig config;
    private Registration registration;

    /** Holds the newest entry first. */
    public final Deque<PoolEntry> ready = new ArrayDeque<>();

    public final Map<Long, Underway> underway = new HashMap<>();
    final Deque<Waiter> waiters = new ArrayDeque<>();
    final PoolCounters counters = new PoolCounters();
    RestoreBackoff backoff = RestoreBackoff.NONE;
    Demand demand;
    boolean stalled;
    /** Says whether what lies on the shelf is known. */
    boolean swept;
    /** Counts the entries that other processes are making, as far as is known. */
    int openingElsewhere;

    OptionalLong neededSince = OptionalLong.empty();

    /** Describes a restore that is under way. */
    record Underway(SnapshotRef snapshot, long since) {
        boolean slow(PoolConfig config, long now) {
            return now - since >= config.slowAfter().toNanos();
        }
    }

    KeyBucket(StackKey key, PoolConfig config, Registration registration, long now) {
        this.key = key;
        this.config = config;
        this.registration = registration;
        demand = Demand.none(now);
    }

    StackKey key() {
        return key;
    }

    public Registration registration() {
        return registration;
    }

    void replace(Registration newer) {
        registration = newer;
        backoff = backoff.over();
    }

    public DepthPolicy depth() {
        return registration.depth();
    }

    /** Returns how many entries this process is to keep ready. */
    int target(long now) {
        return registration.keeps() ? demand.target(depth(), now) : 0;
    }

    /** Adds an entry that lies on its shelf; it is handed out before the older ones. */
    void shelve(PoolEntry entry) {
        List<PoolEntry> younger = new ArrayList<>();
        while (!ready.isEmpty() && ready.getFirst().bornAt() - entry.bornAt() > 0) {
            younger.add(ready.removeFirst());
        }
        ready.addFirst(entry);
        younger.reversed().forEach(ready::addFirst);
    }

    /** Takes the newest entry that is not too old; those that are too old go into {@code tooOld}. */
    Optional<PoolEntry> pop(long now, List<PoolEntry> tooOld) {
        while (!ready.isEmpty()) {
            PoolEntry newest = ready.removeFirst();
            if (now - newest.endAt() < 0) {
                return Optional.of(newest);
            }
            tooOld.add(newest);
        }
        return Optional.empty();
    }

    /** Queues a waiter in the order of asking, also one that comes back. */
    void queue(Waiter waiter) {
        List<Waiter> later = new ArrayList<>();
        while (!waiters.isEmpty() && waiters.getLast().order() > waiter.order()) {
            later.addFirst(waiters.removeLast());
        }
        waiters.addLast(waiter);
        waiters.addAll(later);
    }

    PoolEntry remove(long number) {
        Iterator<PoolEntry> entries = ready.iterator();
        while (entries.hasNext()) {
            PoolEntry entry = entries.next();
            if (entry.number() == number) {
                entries.remove();
                return entry;
            }
        }
        throw new IllegalStateException("entry " + number + " is not ready");
    }

    /**
     * Returns what is to be evicted now; of a shelf that another process keeps, only what is too old to be handed out.
     */
    List<EvictionPlan.Going> going(long now) {
        List<EvictionPlan.Candidate> candidates = new ArrayList<>();
        ready.forEach(entry -> candidates.add(entry.candidate(registration.snapshot())));
        int most = registration.keeps() ? target(now) : Integer.MAX_VALUE;
        return EvictionPlan.plan(candidates, 0, most, now);
    }

    /** Returns what is to be restored now, were it for this key alone. */
    RefillPlan.Need need(long now) {
        int target = target(now);
        int waiting = waiters.size();
        int making = underway.size();
        int elsewhere = registration.keeps() ? openingElsewhere : 0;
        int all = ready.size() + making + elsewhere;
        int fresh = elsewhere
                + (int) (ready.stream().filter(entry -> fresh(entry, now)).count()
                        + underway.values().stream()
                                .filter(way -> way.snapshot().equals(registration.snapshot()))
                                .count());
        boolean stale = all > fresh;
        // Of those that are stale one at a time is replaced before it goes, so one more than the target is allowed.
        int wanted = Math.max(0, Math.min(waiting + target - fresh, waiting + target + (stale ? 1 : 0) - all));
        int allowed = mayBegin(now) ? backoff.broken(config.retry()) ? Math.min(1, wanted) : wanted : 0;
        int forWaiters = Math.clamp((long) waiting - making, 0, allowed);
        neededSince = wanted == 0 ? OptionalLong.empty() : neededSince.isPresent() ? neededSince : OptionalLong.of(now);
        return new RefillPlan.Need(key, forWaiters, allowed - forWaiters, all, target);
    }

    private boolean mayBegin(long now) {
        boolean trial = backoff.broken(config.retry()) && !underway.isEmpty();
        boolean slow = underway.values().stream().anyMatch(way -> way.slow(config, now));
        return swept && !backoff.pausing(now) && !trial && !slow;
    }

    private boolean fresh(PoolEntry entry, long now) {
        return entry.candidate(registration.snapshot()).fresh(now);
    }

    /** Says whether an acquirer that waits now waits in vain. */
    boolean hopeless(long now) {
        return backoff.broken(config.retry()) && backoff.pausing(now) && underway.isEmpty();
    }

    /** Returns when something is due without anything happening: how long after a time, of which it is the soonest. */
    OptionalLong due(long after) {
        List<Long> times = new ArrayList<>();
        for (PoolEntry entry : ready) {
            times.add(entry.replaceAt());
            times.add(entry.endAt());
        }
        underway.values()
                .forEach(way -> times.add(way.since() + config.slowAfter().toNanos()));
        if (backoff.failures() > 0) {
            times.add(backoff.retryAt());
        }
        neededSince.ifPresent(since -> times.add(since + RefillPause.LONGEST.toNanos()));
        depth().coldAfter().ifPresent(idle -> times.add(demand.latest() + idle.toNanos()));
        return times.stream()
                .mapToLong(at -> at - after)
                .filter(left -> left > 0)
                .min();
    }

    PoolMetrics.Key metrics(long now) {
        return new PoolMetrics.Key(
                ready.size(),
                target(now),
                underway.size(),
                waiters.size(),
                counters.get(PoolCounters.Count.CREATED),
                counters.get(PoolCounters.Count.ACQUIRED),
                counters.get(PoolCounters.Count.HITS),
                counters.get(PoolCounters.Count.LATE_HITS),
                counters.get(PoolCounters.Count.MISSES),
                counters.get(PoolCounters.Count.VALIDATION_FAILURES),
                counters.evictions(),
                counters.failures(),
                backoff.last(),
                stalled);
    }
}
