package dev.cloche.pool.core;

import dev.cloche.pool.Eviction;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/** Counts what happened to the entries of a key, or of all. Guarded by the pool's lock. */
final class PoolCounters {
    private final Map<Eviction, Long> evictions = new EnumMap<>(Eviction.class);
    private final Map<String, Long> failures = new TreeMap<>();
    private final Map<Count, Long> counts = new EnumMap<>(Count.class);

    enum Count {
        CREATED,
        ADOPTED,
        ACQUIRED,
        HITS,
        LATE_HITS,
        MISSES,
        VALIDATION_FAILURES
    }

    void add(Count count) {
        counts.merge(count, 1L, Long::sum);
    }

    void evicted(Eviction cause) {
        evictions.merge(cause, 1L, Long::sum);
    }

    void failed(String code) {
        failures.merge(code, 1L, Long::sum);
    }

    long get(Count count) {
        return counts.getOrDefault(count, 0L);
    }

    Map<Eviction, Long> evictions() {
        return Map.copyOf(evictions);
    }

    Map<String, Long> failures() {
        return Map.copyOf(failures);
    }
}
