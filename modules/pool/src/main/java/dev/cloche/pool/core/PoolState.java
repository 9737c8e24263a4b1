package dev.cloche.pool.core;

import dev.cloche.pool.Eviction;
import dev.cloche.pool.PoolConfig;
import dev.cloche.pool.PoolEvent;
import dev.cloche.pool.PoolException;
import dev.cloche.pool.StackKey;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.VmId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Holds what a pool knows and what it wants done, which the parts of {@link PoolCore} share. Guarded by the pool's
 * lock.
 *
 * <p>An entry is in exactly one place: ready in its bucket, leased to an acquirer, being destroyed, or in quarantine. A
 * restore under way is a ticket, which stays also if its bucket goes.
 */
final class PoolState {
    final PoolConfig config;
    final RandomGenerator random;
    final Map<StackKey, KeyBucket> buckets = new LinkedHashMap<>();
    final Map<Long, Held> leased = new HashMap<>();
    final RefillPause pause = new RefillPause();
    final DestroyQueue destroyQueue;
    final PoolCounters total = new PoolCounters();
    PoolConfig.Budget budget;
    Foreign foreign = new Foreign(0, 0);
    /** Says of what memory the host is short, or was shortly before; nothing is restored then. */
    Optional<String> shortage = Optional.empty();

    boolean closed;

    private Consumer<VmId> parting = vm -> {};
    private final Map<Long, Ticket> tickets = new HashMap<>();
    private List<PoolEffect> effects = new ArrayList<>();
    private long next;

    /** Describes a restore under way. */
    record Ticket(KeyBucket bucket, VmId vm) {}

    record Held(PoolEntry entry, KeyBucket bucket) {}

    /** Counts what others have in their pools on this host. */
    record Foreign(int vms, long memoryMiB) {}

    PoolState(PoolConfig config, RandomGenerator random) {
        this.config = config;
        budget = config.budget();
        this.random = random;
        destroyQueue = new DestroyQueue(config, random);
    }

    /** Has each VM told that leaves this pool. */
    void onParting(Consumer<VmId> told) {
        parting = told;
    }

    /** Returns the bucket of the key that a VM is labelled with, if it is registered. */
    Optional<KeyBucket> bucket(PooledVm vm) {
        return StackKey.ofLabel(vm.slot().label()).flatMap(key -> Optional.ofNullable(buckets.get(key)));
    }

    /** Returns a number that is never given twice. */
    long number() {
        return ++next;
    }

    void want(PoolEffect effect) {
        effects.add(effect);
    }

    void tell(PoolEvent event) {
        want(new PoolEffect.Tell(event));
    }

    /** Takes what is wanted, in order; it is not wanted any more then. */
    List<PoolEffect> drain() {
        List<PoolEffect> due = effects;
        effects = new ArrayList<>();
        return due;
    }

    void count(KeyBucket bucket, PoolCounters.Count what) {
        bucket.counters.add(what);
        total.add(what);
    }

    /** Says whether the pool is closed or the registration of a bucket is gone: entries of it are of no use then. */
    boolean gone(KeyBucket bucket) {
        return closed || buckets.get(bucket.key()) != bucket;
    }

    void requireOpen() {
        if (closed) {
            throw new PoolException.Closed();
        }
    }

    /** Takes an entry out of its place. */
    static Held out(Map<Long, Held> place, PoolEntry entry) {
        return Optional.ofNullable(place.remove(entry.number()))
                .orElseThrow(() -> new IllegalStateException("entry " + entry + " is somewhere else"));
    }

    /** Has an entry destroyed that is evicted. */
    void doom(PoolEntry entry, KeyBucket bucket, Eviction cause, long now) {
        evicted(entry, bucket, cause);
        destroyQueue.add(entry, now);
        want(new PoolEffect.Destroy(entry));
    }

    /** Drops an entry that is no longer this pool's, and that others see to. */
    void forget(PoolEntry entry, KeyBucket bucket, Eviction cause) {
        evicted(entry, bucket, cause);
        parting.accept(entry.vm());
    }

    void evicted(PoolEntry entry, KeyBucket bucket, Eviction cause) {
        bucket.counters.evicted(cause);
        total.evicted(cause);
        tell(new PoolEvent.Evicted(entry.key(), entry.vm(), cause));
    }

    void handedOver(PoolEntry entry, long now) {
        pause.handedOver(now);
        count(out(leased, entry).bucket(), PoolCounters.Count.ACQUIRED);
        parting.accept(entry.vm());
    }

    /** Drops an entry that is gone, or that another process has. */
    void destroyed(PoolEntry entry) {
        destroyQueue.destroyed(entry);
        parting.accept(entry.vm());
    }

    /** Puts an entry into quarantine that resists its removal. */
    void quarantine(PoolEntry entry, String why, long now) {
        tell(new PoolEvent.Quarantined(entry.key(), entry.vm(), why));
        if (closed) {
            // The next process that looks at the shelves finds it.
            destroyed(entry);
        } else {
            destroyQueue.resisted(entry, now);
        }
    }

    long begin(KeyBucket bucket, VmId vm) {
        long ticket = number();
        tickets.put(ticket, new Ticket(bucket, vm));
        return ticket;
    }

    VmId vmOf(long ticket) {
        return Optional.ofNullable(tickets.get(ticket))
                .map(Ticket::vm)
                .orElseThrow(() -> new IllegalStateException("ticket " + ticket + " was answered before"));
    }

    /** Ends a ticket, for its restore is over; returns the bucket that it was for. */
    KeyBucket end(long ticket) {
        Ticket mine = Optional.ofNullable(tickets.remove(ticket))
                .orElseThrow(() -> new IllegalStateException("ticket " + ticket + " was answered before"));
        mine.bucket().underway.remove(ticket);
        parting.accept(mine.vm());
        return mine.bucket();
    }

    void cancelAll() {
        tickets.keySet().forEach(ticket -> want(new PoolEffect.Cancel(ticket)));
    }

    /** Returns all VMs that this pool knows of. */
    Set<VmId> known() {
        Set<VmId> known = new HashSet<>();
        tickets.values().forEach(ticket -> known.add(ticket.vm()));
        entries().forEach(entry -> known.add(entry.vm()));
        return known;
    }

    /** Says whether a closed pool has nothing under way. */
    boolean idle() {
        return tickets.isEmpty() && leased.isEmpty() && destroyQueue.isEmpty();
    }

    /** Returns all entries that are the pool's, wherever they are. */
    Stream<PoolEntry> entries() {
        return Stream.of(
                        buckets.values().stream().flatMap(bucket -> bucket.ready.stream()),
                        leased.values().stream().map(Held::entry),
                        destroyQueue.entries())
                .flatMap(part -> part);
    }

    /** Counts entries, and what is to become one. */
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
