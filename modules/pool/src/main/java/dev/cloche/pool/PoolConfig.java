package dev.cloche.pool;

import dev.cloche.base.DurationText;
import java.time.Duration;

/**
 * Configures a pool. Begin with {@link #DEFAULT} and change what differs.
 *
 * @param refillInterval the safety sweep: refills that nothing woke, and what other processes did unnoticed; demand
 *     wakes at once
 * @param parallelRestores how many restores run at once, at least one; one that is slow gives its place away
 * @param restoreWithin what one restore has, its warm-up and health check included
 * @param slowAfter when a restore counts as slow
 * @param prepareWithin what a warm-up and a health check have, each
 * @param destroyWithin what ending a VM has
 * @param closeWithin how long {@link WarmPool#close} waits for what is under way
 * @param retry what follows on failures
 * @param budget what all entries may take together
 */
public record PoolConfig(
        Duration refillInterval,
        int parallelRestores,
        Duration restoreWithin,
        Duration slowAfter,
        Duration prepareWithin,
        Duration destroyWithin,
        Duration closeWithin,
        Retry retry,
        Budget budget) {
    /**
     * Configures the back-off after failed restores of a key.
     *
     * @param first pause after the first; doubled after each further one, and shortened by up to a half at random
     * @param longest pause
     * @param breakAfter so many failures in a row: waiters are told at once, and one restore at a time is tried
     */
    public record Retry(Duration first, Duration longest, int breakAfter) {
        public Retry {
            positive("pause", first);
            positive("pause", longest);
            if (breakAfter < 1) {
                throw new PoolException.Invalid(
                        "A breaker after " + breakAfter + " failures is none", "Use 1 or more.");
            }
        }
    }

    /**
     * Limits what all entries of a host may take together, those of other processes and those being made included.
     *
     * @param vms at least one
     * @param memoryMiB of their guests' memory, at least one
     */
    public record Budget(int vms, long memoryMiB) {
        public Budget {
            if (vms < 1 || memoryMiB < 1) {
                throw new PoolException.Invalid("A budget of nothing is none", "Use positive numbers.");
            }
        }
    }

    public static final PoolConfig DEFAULT = new PoolConfig(
            Duration.ofSeconds(5),
            2,
            Duration.ofSeconds(30),
            Duration.ofSeconds(3),
            Duration.ofSeconds(10),
            Duration.ofSeconds(10),
            Duration.ofMillis(500),
            new Retry(Duration.ofMillis(200), Duration.ofSeconds(30), 5),
            new Budget(64, 16 << 10));

    /** @throws PoolException.Invalid if a value is outside of its range */
    public PoolConfig {
        positive("refill interval", refillInterval);
        positive("time for a restore", restoreWithin);
        positive("time until a restore is slow", slowAfter);
        positive("time for a health check", prepareWithin);
        positive("time to destroy", destroyWithin);
        positive("time to close", closeWithin);
        if (parallelRestores < 1) {
            throw new PoolException.Invalid(parallelRestores + " restores at once are none", "Use 1 or more.");
        }
    }

    static void positive(String what, Duration value) {
        if (value.isNegative() || value.isZero() || value.compareTo(Duration.ofDays(3650)) > 0) {
            throw new PoolException.Invalid(
                    "A " + what + " of " + DurationText.of(value) + " is none", "Use up to 3650 days.");
        }
    }

    public PoolConfig withRestoreWithin(Duration value, Duration slow) {
        return new PoolConfig(
                refillInterval,
                parallelRestores,
                value,
                slow,
                prepareWithin,
                destroyWithin,
                closeWithin,
                retry,
                budget);
    }

    public PoolConfig withPrepareWithin(Duration value) {
        return new PoolConfig(
                refillInterval,
                parallelRestores,
                restoreWithin,
                slowAfter,
                value,
                destroyWithin,
                closeWithin,
                retry,
                budget);
    }

    public PoolConfig withCloseWithin(Duration value) {
        return new PoolConfig(
                refillInterval,
                parallelRestores,
                restoreWithin,
                slowAfter,
                prepareWithin,
                destroyWithin,
                value,
                retry,
                budget);
    }
}
