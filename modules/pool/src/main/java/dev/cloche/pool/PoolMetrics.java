package dev.cloche.pool;

import java.util.Map;
import java.util.Optional;

/**
 * Reports what a pool has done since it was opened, and how it stands.
 *
 * @param created spawns that succeeded, also if the entry was rejected then
 * @param adopted entries taken over from other processes
 * @param acquired hand-offs that the guest acknowledged
 * @param evicted entries that left otherwise
 * @param refillRuns looks at what is to be done
 * @param validationFailures unhealthy verdicts, at refill, meanwhile and at hand-off
 * @param quarantined VMs that could not be destroyed yet
 * @param keys of what is registered
 */
public record PoolMetrics(
        long created,
        long adopted,
        long acquired,
        long evicted,
        long refillRuns,
        long validationFailures,
        int quarantined,
        Map<StackKey, Key> keys) {
    /**
     * Reports one key.
     *
     * @param depth ready entries
     * @param inFlight restores and adoptions under way
     * @param waiters acquirers that wait
     * @param hits acquirers that found an entry ready
     * @param lateHits acquirers that had to wait for theirs
     * @param misses acquirers that found none ready
     * @param evictions by cause
     * @param failures of restores by the code of the error
     * @param lastError of a restore, also after others have succeeded
     * @param stalled whether restores fail again and again
     */
    public record Key(
            int depth,
            int target,
            int inFlight,
            int waiters,
            long created,
            long acquired,
            long hits,
            long lateHits,
            long misses,
            long validationFailures,
            Map<Eviction, Long> evictions,
            Map<String, Long> failures,
            Optional<String> lastError,
            boolean stalled) {}
}
