package dev.cloche.pool;

import dev.cloche.vm.PooledVm;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
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
 * All that a pool decides: a state machine without I/O, threads or clocks. Whoever drives it calls one method at a time, tells
 * it the monotonic time in nanoseconds, and does the {@link #drain effects}.
 *
 * <p>An entry is in exactly one place: ready or being checked in its bucket, leased to an acquirer, being destroyed, or in
 * quarantine. A restore under way is a ticket, whatever becomes of its bucket.
 */
final class PoolCore {
    private final PoolConfig config;
    private final RandomGenerator random;
    private final Supplier<VmId> ids;
    private final Map<StackKey, Bucket> buckets = new LinkedHashMap<>();
    private final Map<Long, Ticket> tickets = new HashMap<>();
    private final Map<Long, Held> leased = new HashMap<>();
    private final Map<Long, Held> checks = new HashMap<>();
    private final Graveyard graveyard;
    private final Tally total = new Tally();
    private List<Effect> effects = new ArrayList<>();
    private Foreign foreign = new Foreign(0, 0);
    private long next;
    private long refillRuns;
    private long sweepAt;
    private boolean sweeping;
    private boolean closed;

    private record Ticket(Bucket bucket, VmId vm) {}

    private record Held(Entry entry, Bucket bucket) {}

    /** What others have in their pools on this host. */
    private record Foreign(int vms, long memoryMiB) {}

    /** A core without keys. Its random numbers are for jitter, not for secrets. */
    PoolCore(PoolConfig config, RandomGenerator random, Supplier<VmId> ids, long now) {
        this.config = config;
        this.random = random;
        this.ids = ids;
        graveyard = new Graveyard(config, random);
        sweepAt = now + config.refillInterval().toNanos();
    }

    /** What is to be done, in order; each is answered once. */
    List<Effect> drain() {
        List<Effect> due = effects;
        effects = new ArrayList<>();
        return due;
    }

    void register(StackKey key, Registration registration, long now) {
        requireOpen();
        SnapshotRef snapshot = registration.snapshot();
        if (snapshot.cpus() != key.cpus() || snapshot.memoryMiB() != key.memoryMiB()) {
            throw new PoolException.Invalid(
                    "The snapshot " + snapshot.name() + " has " + snapshot.cpus() + " processors and "
                            + snapshot.memoryMiB() + " MiB, its key says otherwise: " + key,
                    "Register it under a key of its own size.");
        }
        Bucket known = buckets.get(key);
        if (known != null) {
            known.replace(registration);
        } else {
            buckets.put(key, new Bucket(key, config, registration, now));
            sweep();
        }
        settle(now);
    }

    void unregister(StackKey key, long now) {
        Bucket gone = buckets.remove(key);
        if (gone == null) {
            return;
        }
        gone.waiters.forEach(waiter -> grant(waiter, new Waiter.Grant.Failed(new PoolException.UnknownKey(key))));
        gone.waiters.clear();
        gone.ready.forEach(entry -> leave(entry, gone, Eviction.UNREGISTER));
        gone.ready.clear();
        gone.underway.keySet().forEach(ticket -> effects.add(new Effect.Cancel(ticket)));
        settle(now);
    }

    /** One that is ready now, unless somebody waits for it already. */
    Optional<Waiter.Grant.Ready> take(StackKey key, long now) {
        Bucket bucket = buckets.get(key);
        if (bucket == null) {
            return Optional.empty();
        }
        bucket.demand = bucket.demand.arrived(now);
        Optional<Waiter.Grant.Ready> taken = bucket.waiters.isEmpty() ? lease(bucket, now, now) : Optional.empty();
        count(bucket, taken.isPresent() ? Tally.Count.HITS : Tally.Count.MISSES);
        settle(now);
        return taken;
    }

    Waiter request(StackKey key, long now) {
        requireOpen();
        Bucket bucket = buckets.get(key);
        if (bucket == null) {
            throw new PoolException.UnknownKey(key);
        }
        bucket.demand = bucket.demand.arrived(now);
        Waiter waiter = new Waiter(key, ++next, now);
        bucket.queue(waiter);
        settle(now);
        boolean hit = waiter.grant().getNow(null) instanceof Waiter.Grant.Ready;
        count(bucket, hit ? Tally.Count.HITS : Tally.Count.MISSES);
        return waiter;
    }

    /** It waits no more; what it was granted meanwhile goes to the next. */
    void cancel(Waiter waiter, long now) {
        Bucket bucket = buckets.get(waiter.key());
        if (bucket != null) {
            bucket.waiters.remove(waiter);
        }
        if (waiter.grant().getNow(null) instanceof Waiter.Grant.Ready ready) {
            returned(ready.entry(), now);
        }
        settle(now);
    }

    /** What it was granted was of no use: it is where it was in the queue. */
    void again(Waiter waiter, Entry broken, Eviction cause, long now) {
        lost(broken, cause, now);
        waiter.again();
        Bucket bucket = buckets.get(waiter.key());
        if (closed || bucket == null) {
            PoolException why = closed ? new PoolException.Closed() : new PoolException.UnknownKey(waiter.key());
            grant(waiter, new Waiter.Grant.Failed(why));
        } else {
            bucket.queue(waiter);
        }
        settle(now);
    }

    /** It was leased and is as good as before. */
    void returned(Entry entry, long now) {
        Held held = out(leased, entry);
        if (!closed && buckets.get(entry.key()) == held.bucket()) {
            held.bucket().ready.addFirst(entry);
        } else {
            leave(entry, held.bucket(), closed ? Eviction.CLOSE : Eviction.UNREGISTER);
        }
        settle(now);
    }

    /** It was leased and is of no use to anybody. */
    void lost(Entry entry, Eviction cause, long now) {
        Held held = out(leased, entry);
        if (cause == Eviction.VALIDATION) {
            count(held.bucket(), Tally.Count.VALIDATION_FAILURES);
        }
        doom(entry, held.bucket(), cause);
        settle(now);
    }

    void handedOver(Entry entry, long now) {
        Held held = out(leased, entry);
        count(held.bucket(), Tally.Count.ACQUIRED);
        settle(now);
    }

    void made(long ticket, Vm vm, SnapshotRef snapshot, Duration took, long now) {
        Ticket mine = end(ticket);
        Bucket bucket = mine.bucket();
        count(bucket, Tally.Count.CREATED);
        Entry entry = entry(bucket, snapshot, vm, now, now);
        if (gone(bucket)) {
            leave(entry, bucket, closed ? Eviction.CLOSE : Eviction.ORPHAN);
        } else {
            if (bucket.stalled) {
                bucket.stalled = false;
                tell(new PoolEvent.Recovered(bucket.key()));
            }
            bucket.trouble = bucket.trouble.over();
            bucket.demand = bucket.demand.restored(took);
            bucket.ready.addFirst(entry);
            Duration lag = Duration.ofNanos(now - bucket.neededSince.orElse(now));
            tell(new PoolEvent.Restored(bucket.key(), vm.id(), took, lag));
        }
        settle(now);
    }

    /** It was made, and its validator does not like it. */
    void rejected(long ticket, Vm vm, SnapshotRef snapshot, String reason, long now) {
        Bucket bucket = end(ticket).bucket();
        count(bucket, Tally.Count.CREATED);
        count(bucket, Tally.Count.VALIDATION_FAILURES);
        doom(entry(bucket, snapshot, vm, now, now), bucket, Eviction.VALIDATION);
        trouble(bucket, "pool.rejected", reason, now);
        settle(now);
    }

    /** No entry came of it; what is left resisted its removal. */
    void failed(long ticket, RuntimeException why, Optional<Vm> left, SnapshotRef snapshot, long now) {
        Bucket bucket = end(ticket).bucket();
        left.ifPresent(vm -> {
            Entry resisting = entry(bucket, snapshot, vm, now, now);
            graveyard.bury(resisting);
            quarantine(resisting, String.valueOf(why.getMessage()), now);
        });
        if (!gone(bucket)) {
            trouble(bucket, EntryMaker.code(why), String.valueOf(why.getMessage()), now);
            if (bucket.registration().cold().isPresent() && !bucket.waiters.isEmpty()) {
                grant(bucket.waiters.removeFirst(), new Waiter.Grant.Cold(bucket.registration()));
            }
        }
        settle(now);
    }

    void adopted(long ticket, Vm vm, PooledVm left, long now) {
        Bucket bucket = end(ticket).bucket();
        SnapshotRef snapshot = left.snapshot().orElse(bucket.registration().snapshot());
        Entry entry = entry(bucket, snapshot, vm, now - left.age().toNanos(), now);
        count(bucket, Tally.Count.ADOPTED);
        if (gone(bucket)) {
            effects.add(new Effect.Leave(entry));
        } else {
            tell(new PoolEvent.Adopted(bucket.key(), vm.id()));
            bucket.ready.addLast(entry);
        }
        settle(now);
    }

    /** Somebody else was faster, or the VM is gone. */
    void notAdopted(long ticket, long now) {
        end(ticket);
        settle(now);
    }

    void checked(Entry entry, Verdict verdict, Duration took, long now) {
        Bucket bucket = out(checks, entry).bucket();
        bucket.checking.remove(entry.number());
        tell(new PoolEvent.Checked(entry.key(), entry.vm().id(), took, verdict));
        if (verdict instanceof Verdict.Unhealthy) {
            count(bucket, Tally.Count.VALIDATION_FAILURES);
            doom(entry, bucket, Eviction.VALIDATION);
        } else if (gone(bucket)) {
            leave(entry, bucket, closed ? Eviction.CLOSE : Eviction.UNREGISTER);
        } else {
            entry.checked(now);
            bucket.ready.addLast(entry);
        }
        settle(now);
    }

    void destroyed(Entry entry, long now) {
        graveyard.destroyed(entry);
        settle(now);
    }

    void destroyFailed(Entry entry, String why, long now) {
        quarantine(entry, why, now);
        settle(now);
    }

    private void quarantine(Entry entry, String why, long now) {
        tell(new PoolEvent.Quarantined(entry.key(), entry.vm().id(), why));
        if (closed) {
            // Whoever comes next finds it.
            graveyard.destroyed(entry);
            effects.add(new Effect.Leave(entry));
        } else {
            graveyard.resisted(entry, now);
        }
    }

    /** What others have left, and what of it still needs them; what nobody owns is gone by now. */
    void swept(List<PooledVm> found, long now) {
        sweeping = false;
        Set<VmId> ours = new HashSet<>();
        tickets.values().forEach(ticket -> ours.add(ticket.vm()));
        entries().forEach(entry -> ours.add(entry.vm().id()));
        List<PooledVm> others =
                found.stream().filter(vm -> !ours.contains(vm.id())).toList();
        foreign = new Foreign(
                others.size(), others.stream().mapToLong(PooledVm::memoryMiB).sum());
        if (!closed) {
            buckets.values().forEach(bucket -> bucket.swept = true);
            others.stream()
                    .filter(vm -> vm.stage() == PooledVm.Stage.SHELVED)
                    .forEach(vm -> StackKey.ofLabel(vm.slot().label())
                            .flatMap(key -> Optional.ofNullable(buckets.get(key)))
                            .filter(bucket -> vm.age().compareTo(config.entryMaxAge()) < 0)
                            .filter(bucket -> wanted(bucket, now))
                            .ifPresent(bucket -> adopt(bucket, vm, now)));
        }
        settle(now);
    }

    private boolean wanted(Bucket bucket, long now) {
        if (tickets.size() + entries().count() >= config.budget().vms()) {
            return false;
        }
        int have = bucket.ready.size() + bucket.checking.size() + bucket.underway.size();
        return have < bucket.target(now) + bucket.waiters.size();
    }

    private void adopt(Bucket bucket, PooledVm left, long now) {
        long ticket = begin(bucket, left.id());
        SnapshotRef snapshot = left.snapshot().orElse(bucket.registration().snapshot());
        bucket.underway.put(ticket, new Bucket.Underway(snapshot, now, true));
        effects.add(new Effect.Adopt(ticket, bucket.key(), left));
    }

    /** Whatever is due by the passing of time. */
    void tick(long now) {
        if (closed) {
            return;
        }
        if (now - sweepAt >= 0) {
            sweepAt = now + config.refillInterval().toNanos();
            sweep();
        }
        graveyard.due(now).forEach(entry -> effects.add(new Effect.Destroy(entry, Eviction.SURPLUS)));
        settle(now);
    }

    /** How long until the next tick, at least a millisecond. */
    Duration untilDue(long now) {
        long soonest = Stream.concat(
                        Stream.of(OptionalLong.of(sweepAt - now), graveyard.untilDue(now)),
                        buckets.values().stream().map(bucket -> bucket.due(now)))
                .flatMapToLong(OptionalLong::stream)
                .min()
                .orElse(Long.MAX_VALUE);
        return Duration.ofNanos(Math.max(soonest, 1_000_000));
    }

    void close(long now) {
        if (closed) {
            return;
        }
        closed = true;
        for (Bucket bucket : buckets.values()) {
            bucket.waiters.forEach(waiter -> grant(waiter, new Waiter.Grant.Failed(new PoolException.Closed())));
            bucket.waiters.clear();
            bucket.ready.forEach(entry -> leave(entry, bucket, Eviction.CLOSE));
            bucket.ready.clear();
        }
        tickets.keySet().forEach(ticket -> effects.add(new Effect.Cancel(ticket)));
        graveyard.giveUp().forEach(entry -> effects.add(new Effect.Leave(entry)));
    }

    /** Whether a closed pool has nothing under way. */
    boolean idle() {
        return tickets.isEmpty() && leased.isEmpty() && checks.isEmpty() && graveyard.isEmpty();
    }

    PoolMetrics metrics(long now) {
        Map<StackKey, PoolMetrics.Key> keys = new TreeMap<>();
        buckets.forEach((key, bucket) -> keys.put(key, bucket.metrics(now)));
        return new PoolMetrics(
                total.get(Tally.Count.CREATED),
                total.get(Tally.Count.ADOPTED),
                total.get(Tally.Count.ACQUIRED),
                total.evictions().values().stream().mapToLong(Long::longValue).sum(),
                refillRuns,
                total.get(Tally.Count.VALIDATION_FAILURES),
                graveyard.quarantined(),
                Map.copyOf(keys));
    }

    /** All entries that are the pool's, wherever they are. */
    Stream<Entry> entries() {
        return Stream.of(
                        buckets.values().stream().flatMap(bucket -> bucket.ready.stream()),
                        checks.values().stream().map(Held::entry),
                        leased.values().stream().map(Held::entry),
                        graveyard.entries())
                .flatMap(part -> part);
    }

    /** For tests. */
    Map<StackKey, Bucket> buckets() {
        return buckets;
    }

    private void settle(long now) {
        if (closed) {
            return;
        }
        refillRuns++;
        for (Bucket bucket : List.copyOf(buckets.values())) {
            serve(bucket, now);
            bucket.going(now).forEach(going -> doom(bucket.remove(going.number()), bucket, going.cause()));
            check(bucket, now);
        }
        refill(now);
    }

    private void serve(Bucket bucket, long now) {
        while (!bucket.waiters.isEmpty()) {
            Optional<Waiter.Grant.Ready> ready =
                    lease(bucket, bucket.waiters.getFirst().since(), now);
            if (ready.isPresent()) {
                Waiter first = bucket.waiters.removeFirst();
                if (ready.get().kind() == StartKind.RESTORED) {
                    count(bucket, Tally.Count.LATE_HITS);
                }
                grant(first, ready.get());
            } else if (bucket.hopeless(now)) {
                Registration registration = bucket.registration();
                grant(
                        bucket.waiters.removeFirst(),
                        registration.cold().isPresent()
                                ? new Waiter.Grant.Cold(registration)
                                : new Waiter.Grant.Failed(new PoolException.NotRestored(
                                        bucket.key(), bucket.trouble.last().orElse("for a reason not known"))));
            } else {
                return;
            }
        }
    }

    private Optional<Waiter.Grant.Ready> lease(Bucket bucket, long since, long now) {
        List<Entry> tooOld = new ArrayList<>();
        Optional<Entry> found = bucket.pop(now, tooOld);
        tooOld.forEach(entry -> doom(entry, bucket, Eviction.AGE));
        return found.map(entry -> {
            leased.put(entry.number(), new Held(entry, bucket));
            boolean recent = now - entry.checkedAt() < config.checkedRecently().toNanos();
            StartKind kind = entry.bornAt() - since >= 0 ? StartKind.RESTORED : StartKind.WARM;
            return new Waiter.Grant.Ready(entry, kind, recent);
        });
    }

    /** One at a time, so that the others can be handed out meanwhile. */
    private void check(Bucket bucket, long now) {
        long every = config.checkedRecently().toNanos() / 2;
        if (!bucket.checking.isEmpty()) {
            return;
        }
        bucket.ready.stream()
                .filter(entry -> now - entry.checkedAt() >= every)
                .findFirst()
                .ifPresent(entry -> {
                    bucket.ready.remove(entry);
                    bucket.checking.put(entry.number(), entry);
                    checks.put(entry.number(), new Held(entry, bucket));
                    effects.add(new Effect.Check(entry));
                });
    }

    private void refill(long now) {
        List<RefillPlan.Need> needs =
                buckets.values().stream().map(bucket -> bucket.need(now)).toList();
        long busy = buckets.values().stream()
                .flatMap(bucket -> bucket.underway.values().stream())
                .filter(way -> !way.adoption() && !way.slow(config, now))
                .count();
        int vms = config.budget().vms()
                - foreign.vms()
                - tickets.size()
                - (int) entries().count();
        long memory = config.budget().memoryMiB() - foreign.memoryMiB() - memoryInUse();
        List<StackKey> plan = RefillPlan.plan(needs, (int) Math.max(0, config.parallelRestores() - busy), vms, memory);
        plan.stream()
                .flatMap(key -> Optional.ofNullable(buckets.get(key)).stream())
                .forEach(bucket -> restore(bucket, now));
        needs.stream()
                .filter(need -> need.forWaiters() > 0 && !plan.contains(need.key()))
                .filter(need -> vms <= plan.size() || memory < need.key().memoryMiB())
                .findFirst()
                .ifPresent(need -> makeRoom(need.key()));
    }

    private long memoryInUse() {
        return entries().mapToLong(entry -> entry.key().memoryMiB()).sum()
                + tickets.values().stream()
                        .mapToLong(ticket -> ticket.bucket().key().memoryMiB())
                        .sum();
    }

    /** Somebody waits for a key that the budget has no room for: an idle entry of another goes, the oldest of the deepest. */
    private void makeRoom(StackKey key) {
        if (!graveyard.isEmpty()) {
            return;
        }
        buckets.values().stream()
                .filter(bucket -> !bucket.key().equals(key)
                        && bucket.ready.size() > bucket.depth().min())
                .max((a, b) -> Integer.compare(a.ready.size(), b.ready.size()))
                .ifPresent(bucket -> doom(bucket.ready.removeLast(), bucket, Eviction.BUDGET));
    }

    private void restore(Bucket bucket, long now) {
        VmId vm = ids.get();
        long ticket = begin(bucket, vm);
        bucket.underway.put(ticket, new Bucket.Underway(bucket.registration().snapshot(), now, false));
        effects.add(new Effect.Restore(ticket, bucket.key(), bucket.registration(), vm));
    }

    private long begin(Bucket bucket, VmId vm) {
        long ticket = ++next;
        tickets.put(ticket, new Ticket(bucket, vm));
        return ticket;
    }

    private Ticket end(long ticket) {
        Ticket mine = Optional.ofNullable(tickets.remove(ticket))
                .orElseThrow(() -> new IllegalStateException("ticket " + ticket + " was answered before"));
        mine.bucket().underway.remove(ticket);
        return mine;
    }

    private Entry entry(Bucket bucket, SnapshotRef snapshot, Vm vm, long bornAt, long now) {
        long age = config.entryMaxAge().toNanos();
        long replaceAt = bornAt + (long) ((double) age * (0.75 + 0.2 * random.nextDouble()));
        return new Entry(++next, bucket.key(), snapshot, vm, bornAt, replaceAt, bornAt + age, now);
    }

    private void trouble(Bucket bucket, String code, String why, long now) {
        if (gone(bucket)) {
            return;
        }
        bucket.trouble = bucket.trouble.failed(why, config.retry(), now, random);
        bucket.tally.failed(code);
        int inARow = bucket.trouble.failures();
        tell(new PoolEvent.RestoreFailed(bucket.key(), code, why, inARow));
        if (bucket.trouble.broken(config.retry()) && !bucket.stalled) {
            bucket.stalled = true;
            tell(new PoolEvent.Stalled(bucket.key(), why, inARow));
        }
    }

    private static Held out(Map<Long, Held> place, Entry entry) {
        return Optional.ofNullable(place.remove(entry.number()))
                .orElseThrow(() -> new IllegalStateException("entry " + entry + " is somewhere else"));
    }

    private boolean gone(Bucket bucket) {
        return closed || buckets.get(bucket.key()) != bucket;
    }

    /** An entry that is good and not wanted here any more. */
    private void leave(Entry entry, Bucket bucket, Eviction cause) {
        if (closed && config.atClose() == PoolConfig.AtClose.LEAVE && cause == Eviction.CLOSE) {
            effects.add(new Effect.Leave(entry));
        } else {
            doom(entry, bucket, cause);
        }
    }

    private void doom(Entry entry, Bucket bucket, Eviction cause) {
        bucket.tally.evicted(cause);
        total.evicted(cause);
        tell(new PoolEvent.Evicted(entry.key(), entry.vm().id(), cause));
        graveyard.bury(entry);
        effects.add(new Effect.Destroy(entry, cause));
    }

    private void count(Bucket bucket, Tally.Count what) {
        bucket.tally.add(what);
        total.add(what);
    }

    private void sweep() {
        if (!sweeping) {
            sweeping = true;
            effects.add(new Effect.Sweep());
        }
    }

    private void tell(PoolEvent event) {
        effects.add(new Effect.Tell(event));
    }

    private void grant(Waiter waiter, Waiter.Grant grant) {
        waiter.grant().complete(grant);
    }

    private void requireOpen() {
        if (closed) {
            throw new PoolException.Closed();
        }
    }
}
