package dev.cloche.pool;

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

/** One registration of a key; a new one after an unregistration is another bucket. Guarded by the pool's lock. */
final class Bucket {
    private final StackKey key;
    private final PoolConfig config;
    private Registration registration;

    /** The newest first. */
    final Deque<Entry> ready = new ArrayDeque<>();

    final Map<Long, Entry> checking = new HashMap<>();
    final Map<Long, Underway> underway = new HashMap<>();
    final Deque<Waiter> waiters = new ArrayDeque<>();
    final Tally tally = new Tally();
    Trouble trouble = Trouble.NONE;
    Demand demand;
    boolean stalled;
    /** Whether what other processes left of this key is known. */
    boolean swept;

    OptionalLong neededSince = OptionalLong.empty();

    /** A restore or an adoption. */
    record Underway(SnapshotRef snapshot, long since, boolean adoption) {
        boolean slow(PoolConfig config, long now) {
            return now - since >= config.slowAfter().toNanos();
        }
    }

    Bucket(StackKey key, PoolConfig config, Registration registration, long now) {
        this.key = key;
        this.config = config;
        this.registration = registration;
        demand = Demand.none(now);
    }

    StackKey key() {
        return key;
    }

    Registration registration() {
        return registration;
    }

    void replace(Registration newer) {
        registration = newer;
        trouble = trouble.over();
    }

    DepthPolicy depth() {
        return registration.depth().orElse(config.depth());
    }

    int target(long now) {
        return demand.target(depth(), now);
    }

    /** The newest that is not too old; those that are go into {@code tooOld}. */
    Optional<Entry> pop(long now, List<Entry> tooOld) {
        while (!ready.isEmpty()) {
            Entry newest = ready.removeFirst();
            if (now - newest.endAt() < 0) {
                return Optional.of(newest);
            }
            tooOld.add(newest);
        }
        return Optional.empty();
    }

    /** In the order of asking, whoever comes back. */
    void queue(Waiter waiter) {
        List<Waiter> later = new ArrayList<>();
        while (!waiters.isEmpty() && waiters.getLast().order() > waiter.order()) {
            later.addFirst(waiters.removeLast());
        }
        waiters.addLast(waiter);
        waiters.addAll(later);
    }

    Entry remove(long number) {
        Iterator<Entry> entries = ready.iterator();
        while (entries.hasNext()) {
            Entry entry = entries.next();
            if (entry.number() == number) {
                entries.remove();
                return entry;
            }
        }
        throw new IllegalStateException("entry " + number + " is not ready");
    }

    List<EvictionPlan.Going> going(long now) {
        List<EvictionPlan.Candidate> candidates = new ArrayList<>();
        ready.forEach(entry -> candidates.add(entry.candidate(registration.snapshot())));
        return EvictionPlan.plan(candidates, checking.size(), target(now), now);
    }

    /** What is to be restored now, were it for this key alone. */
    RefillPlan.Need need(long now) {
        int target = target(now);
        int waiting = waiters.size();
        int all = ready.size() + checking.size() + underway.size();
        int fresh = (int) (ready.stream().filter(entry -> fresh(entry, now)).count()
                + checking.values().stream().filter(entry -> fresh(entry, now)).count()
                + underway.values().stream()
                        .filter(way -> way.snapshot().equals(registration.snapshot()))
                        .count());
        boolean stale = ready.size() + checking.size() + underway.size() > fresh;
        // Of those that are stale one at a time is replaced before it goes, so one more than the target is allowed.
        int wanted = Math.max(0, Math.min(waiting + target - fresh, waiting + target + (stale ? 1 : 0) - all));
        int allowed = mayBegin(now) ? trouble.broken(config.retry()) ? Math.min(1, wanted) : wanted : 0;
        int forWaiters = Math.clamp((long) waiting - underway.size() - checking.size(), 0, allowed);
        neededSince = wanted == 0 ? OptionalLong.empty() : neededSince.isPresent() ? neededSince : OptionalLong.of(now);
        return new RefillPlan.Need(key, forWaiters, allowed - forWaiters, all, target);
    }

    private boolean mayBegin(long now) {
        boolean trial = trouble.broken(config.retry()) && !underway.isEmpty();
        boolean slow = underway.values().stream().anyMatch(way -> way.slow(config, now));
        return swept && !trouble.pausing(now) && !trial && !slow;
    }

    private boolean fresh(Entry entry, long now) {
        return entry.candidate(registration.snapshot()).fresh(now);
    }

    /** Whoever waits now waits in vain. */
    boolean hopeless(long now) {
        return trouble.broken(config.retry()) && trouble.pausing(now) && underway.isEmpty() && checking.isEmpty();
    }

    /** When something is due without anything happening: how long after a time, of which it is the soonest. */
    OptionalLong due(long after) {
        List<Long> times = new ArrayList<>();
        for (Entry entry : ready) {
            times.add(entry.replaceAt());
            times.add(entry.endAt());
            times.add(entry.checkedAt() + config.checkedRecently().toNanos() / 2);
        }
        underway.values()
                .forEach(way -> times.add(way.since() + config.slowAfter().toNanos()));
        if (trouble.failures() > 0) {
            times.add(trouble.retryAt());
        }
        depth().coldAfter().ifPresent(idle -> times.add(demand.latest() + idle.toNanos()));
        return times.stream()
                .mapToLong(at -> at - after)
                .filter(left -> left > 0)
                .min();
    }

    PoolMetrics.Key metrics(long now) {
        return new PoolMetrics.Key(
                ready.size() + checking.size(),
                target(now),
                underway.size(),
                waiters.size(),
                tally.get(Tally.Count.CREATED),
                tally.get(Tally.Count.ACQUIRED),
                tally.get(Tally.Count.HITS),
                tally.get(Tally.Count.LATE_HITS),
                tally.get(Tally.Count.MISSES),
                tally.get(Tally.Count.VALIDATION_FAILURES),
                tally.evictions(),
                tally.failures(),
                trouble.last(),
                stalled);
    }
}
