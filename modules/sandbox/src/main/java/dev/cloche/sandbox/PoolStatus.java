package dev.cloche.sandbox;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A pool of warm VMs: what it is to have, what it has, and what became of it since it was first set.
 *
 * @param depth how many VMs it is to have
 * @param maxAge after which an unused VM is ended
 * @param ready VMs that wait
 * @param making VMs that are being made
 */
public record PoolStatus(
        PoolShape shape, int depth, Duration maxAge, Instant createdAt, int ready, int making, Counts counts) {
    /**
     * What became of it.
     *
     * @param hits starts that got a warm VM
     * @param misses starts that could have had one, had one been ready
     * @param made VMs that were put into it
     * @param failed attempts to make one
     * @param lastError of such an attempt, also after others have succeeded
     */
    public record Counts(long hits, long misses, long made, long failed, Optional<String> lastError) {}
}
