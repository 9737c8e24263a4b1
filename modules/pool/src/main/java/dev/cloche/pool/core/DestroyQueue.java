package dev.cloche.pool.core;

import dev.cloche.pool.PoolConfig;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Holds entries that are being destroyed, and quarantined ones that resisted and are tried again. Guarded by the pool's
 * lock.
 */
final class DestroyQueue {
    private final PoolConfig config;
    private final RandomGenerator random;
    private final Map<Long, Dying> dying = new LinkedHashMap<>();
    private final Map<Long, Resisting> quarantine = new HashMap<>();
    private final Map<Long, RestoreBackoff> backoffs = new HashMap<>();

    private record Dying(PoolEntry entry, long since) {}

    private record Resisting(PoolEntry entry, long retryAt) {}

    DestroyQueue(PoolConfig config, RandomGenerator random) {
        this.config = config;
        this.random = random;
    }

    void add(PoolEntry entry, long now) {
        dying.put(entry.number(), new Dying(entry, now));
    }

    void destroyed(PoolEntry entry) {
        dying.remove(entry.number());
        backoffs.remove(entry.number());
    }

    void resisted(PoolEntry entry, long now) {
        dying.remove(entry.number());
        RestoreBackoff backoff = backoffs.getOrDefault(entry.number(), RestoreBackoff.NONE)
                .failed("it cannot be destroyed", config.retry(), now, random);
        backoffs.put(entry.number(), backoff);
        quarantine.put(entry.number(), new Resisting(entry, backoff.retryAt()));
    }

    /** Returns the quarantined entries to be tried again now; they are being destroyed again. */
    List<PoolEntry> due(long now) {
        List<PoolEntry> again = quarantine.values().stream()
                .filter(one -> now - one.retryAt() >= 0)
                .map(Resisting::entry)
                .toList();
        again.forEach(entry -> {
            quarantine.remove(entry.number());
            add(entry, now);
        });
        return again;
    }

    /**
     * Returns when something is to be looked at: an entry that resisted, also if it is late, or one whose destruction
     * is slow from then on.
     */
    OptionalLong untilDue(long now) {
        LongStream retries = quarantine.values().stream().mapToLong(one -> one.retryAt() - now);
        LongStream slow =
                dying.values().stream().mapToLong(one -> untilSlow(one, now)).filter(left -> left > 0);
        return LongStream.concat(retries, slow).min();
    }

    /** Says whether there will soon be room: something is being destroyed, and not slowly. */
    boolean makesRoom(long now) {
        return dying.values().stream().anyMatch(one -> untilSlow(one, now) > 0);
    }

    private long untilSlow(Dying one, long now) {
        return one.since() + config.slowAfter().toNanos() - now;
    }

    /** Forgets those in quarantine; the next process that looks at the shelves finds them. */
    void giveUp() {
        quarantine.clear();
    }

    int quarantined() {
        return quarantine.size();
    }

    Stream<PoolEntry> entries() {
        return Stream.concat(
                dying.values().stream().map(Dying::entry),
                quarantine.values().stream().map(Resisting::entry));
    }

    /** Says whether nothing is being destroyed. */
    boolean isEmpty() {
        return dying.isEmpty();
    }
}
