package dev.cloche.pool;

import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * What a pool knows and what it wants done, which the parts of {@link PoolCore} share. Guarded by the pool's lock.
 *
 * <p>An entry is in exactly one place: ready or being checked in its bucket, leased to an acquirer, being destroyed, or in
 * quarantine. A restore under way is a ticket, whatever becomes of its bucket.
 */
final class PoolState {
    final PoolConfig config;
    final RandomGenerator random;
    final Map<StackKey, Bucket> buckets = new LinkedHashMap<>();
    final Map<Long, Held> leased = new HashMap<>();
    final Map<Long, Held> checks = new HashMap<>();
    final Graveyard graveyard;
    final Tally total = new Tally();
    Foreign foreign = new Foreign(0, 0);
    boolean closed;

    private final Map<Long, Ticket> tickets = new HashMap<>();
    private List<Effect> effects = new ArrayList<>();
    private long next;

    /** A restore or an adoption under way. */
    record Ticket(Bucket bucket, VmId vm) {}

    record Held(Entry entry, Bucket bucket) {}

    /** What others have in their pools on this host. */
    record Foreign(int vms, long memoryMiB) {}

    PoolState(PoolConfig config, RandomGenerator random) {
        this.config = config;
        this.random = random;
        graveyard = new Graveyard(config, random);
    }

    /** Never given twice. */
    long number() {
        return ++next;
    }

    void want(Effect effect) {
        effects.add(effect);
    }

    void tell(PoolEvent event) {
        want(new Effect.Tell(event));
    }

    /** What is wanted, in order; it is not wanted any more then. */
    List<Effect> drain() {
        List<Effect> due = effects;
        effects = new ArrayList<>();
        return due;
    }

    void count(Bucket bucket, Tally.Count what) {
        bucket.tally.add(what);
        total.add(what);
    }

    /** Whether nobody asks for entries of it any more. */
    boolean gone(Bucket bucket) {
        return closed || buckets.get(bucket.key()) != bucket;
    }

    void requireOpen() {
        if (closed) {
            throw new PoolException.Closed();
        }
    }

    Entry entry(Bucket bucket, SnapshotRef snapshot, Vm vm, long bornAt, long now) {
        long age = config.entryMaxAge().toNanos();
        long replaceAt = bornAt + (long) ((double) age * (0.75 + 0.2 * random.nextDouble()));
        return new Entry(number(), bucket.key(), snapshot, vm, bornAt, replaceAt, bornAt + age, now);
    }

    /** Takes an entry out of its place. */
    static Held out(Map<Long, Held> place, Entry entry) {
        return Optional.ofNullable(place.remove(entry.number()))
                .orElseThrow(() -> new IllegalStateException("entry " + entry + " is somewhere else"));
    }

    /** An entry that is good and not wanted here any more. */
    void leave(Entry entry, Bucket bucket, Eviction cause, long now) {
        if (closed && config.atClose() == PoolConfig.AtClose.LEAVE && cause == Eviction.CLOSE) {
            want(new Effect.Leave(entry));
        } else {
            doom(entry, bucket, cause, now);
        }
    }

    void doom(Entry entry, Bucket bucket, Eviction cause, long now) {
        bucket.tally.evicted(cause);
        total.evicted(cause);
        tell(new PoolEvent.Evicted(entry.key(), entry.vm().id(), cause));
        graveyard.bury(entry, now);
        want(new Effect.Destroy(entry, cause));
    }

    /** It resists its removal. */
    void quarantine(Entry entry, String why, long now) {
        tell(new PoolEvent.Quarantined(entry.key(), entry.vm().id(), why));
        if (closed) {
            // Whoever comes next finds it.
            graveyard.destroyed(entry);
            want(new Effect.Leave(entry));
        } else {
            graveyard.resisted(entry, now);
        }
    }

    long begin(Bucket bucket, VmId vm) {
        long ticket = number();
        tickets.put(ticket, new Ticket(bucket, vm));
        return ticket;
    }

    /** It has ended, however; answers the bucket that it was for. */
    Bucket end(long ticket) {
        Ticket mine = Optional.ofNullable(tickets.remove(ticket))
                .orElseThrow(() -> new IllegalStateException("ticket " + ticket + " was answered before"));
        mine.bucket().underway.remove(ticket);
        return mine.bucket();
    }

    void cancelAll() {
        tickets.keySet().forEach(ticket -> want(new Effect.Cancel(ticket)));
    }

    Stream<VmId> underway() {
        return tickets.values().stream().map(Ticket::vm);
    }

    /** Whether a closed pool has nothing under way. */
    boolean idle() {
        return tickets.isEmpty() && leased.isEmpty() && checks.isEmpty() && graveyard.isEmpty();
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

    /** Entries, and what is to become one. */
    int vmsInUse() {
        return tickets.size() + (int) entries().count();
    }

    long memoryInUse() {
        return entries().mapToLong(entry -> entry.key().memoryMiB()).sum()
                + tickets.values().stream()
                        .mapToLong(ticket -> ticket.bucket().key().memoryMiB())
                        .sum();
    }
}
