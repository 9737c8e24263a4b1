package dev.cloche.pool;

import java.time.Duration;

/**
 * How a pool works. Begin with {@link #DEFAULT} and change what differs.
 *
 * @param depth of keys that are registered without one
 * @param refillInterval the safety sweep: refills that nothing woke, adoption of what other processes left; demand wakes at
 *     once
 * @param entryMaxAge after which an entry is never handed out; its guard ends it then, whoever is alive. Entries are
 *     replaced at 75 to 95 % of it
 * @param parallelRestores how many restores run at once, at least one; one that is slow gives its place away
 * @param restoreWithin what one restore has
 * @param slowAfter when a restore counts as slow
 * @param checkWithin what a validator has for one verdict; later is unhealthy
 * @param checkedRecently how old a verdict may be at hand-off
 * @param destroyWithin what ending a VM has
 * @param closeWithin how long {@link WarmPool#close} waits for what is under way
 * @param retry what follows on failures
 * @param budget what all entries may take together
 * @param atClose what becomes of ready entries
 */
public record PoolConfig(
        DepthPolicy depth,
        Duration refillInterval,
        Duration entryMaxAge,
        int parallelRestores,
        Duration restoreWithin,
        Duration slowAfter,
        Duration checkWithin,
        Duration checkedRecently,
        Duration destroyWithin,
        Duration closeWithin,
        Retry retry,
        Budget budget,
        AtClose atClose) {
    /** What becomes of ready entries when the pool is closed. */
    public enum AtClose {
        /** They are destroyed. */
        DESTROY,
        /** They wait for the next runtime, or for their age. */
        LEAVE
    }

    /**
     * What follows on failed restores of a key.
     *
     * @param first pause after the first; doubled after each further one, and shortened by up to a half at random
     * @param longest pause
     * @param breakAfter so many failures in a row: who waits is told at once, and one restore at a time is tried
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
     * What all entries of a host may take together, whoever made them, those being made included.
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
            DepthPolicy.DEFAULT,
            Duration.ofSeconds(5),
            Duration.ofMinutes(10),
            2,
            Duration.ofSeconds(30),
            Duration.ofSeconds(3),
            Duration.ofSeconds(1),
            Duration.ofSeconds(10),
            Duration.ofSeconds(10),
            Duration.ofMillis(500),
            new Retry(Duration.ofMillis(200), Duration.ofSeconds(30), 5),
            new Budget(64, 16 << 10),
            AtClose.DESTROY);

    /** @throws PoolException.Invalid if a value is outside of its range */
    public PoolConfig {
        positive("refill interval", refillInterval);
        positive("longest age", entryMaxAge);
        positive("time for a restore", restoreWithin);
        positive("time until a restore is slow", slowAfter);
        positive("time for a check", checkWithin);
        positive("age of a check", checkedRecently);
        positive("time to destroy", destroyWithin);
        positive("time to close", closeWithin);
        if (parallelRestores < 1) {
            throw new PoolException.Invalid(parallelRestores + " restores at once are none", "Use 1 or more.");
        }
    }

    static void positive(String what, Duration value) {
        if (value.isNegative() || value.isZero() || value.compareTo(Duration.ofDays(3650)) > 0) {
            throw new PoolException.Invalid("A " + what + " of " + value + " is none", "Use up to 3650 days.");
        }
    }

    public PoolConfig withDepth(DepthPolicy value) {
        return new PoolConfig(
                value,
                refillInterval,
                entryMaxAge,
                parallelRestores,
                restoreWithin,
                slowAfter,
                checkWithin,
                checkedRecently,
                destroyWithin,
                closeWithin,
                retry,
                budget,
                atClose);
    }

    public PoolConfig withRefillInterval(Duration value) {
        return new PoolConfig(
                depth,
                value,
                entryMaxAge,
                parallelRestores,
                restoreWithin,
                slowAfter,
                checkWithin,
                checkedRecently,
                destroyWithin,
                closeWithin,
                retry,
                budget,
                atClose);
    }

    public PoolConfig withEntryMaxAge(Duration value) {
        return new PoolConfig(
                depth,
                refillInterval,
                value,
                parallelRestores,
                restoreWithin,
                slowAfter,
                checkWithin,
                checkedRecently,
                destroyWithin,
                closeWithin,
                retry,
                budget,
                atClose);
    }

    public PoolConfig withParallelRestores(int value) {
        return new PoolConfig(
                depth,
                refillInterval,
                entryMaxAge,
                value,
                restoreWithin,
                slowAfter,
                checkWithin,
                checkedRecently,
                destroyWithin,
                closeWithin,
                retry,
                budget,
                atClose);
    }

    public PoolConfig withRestoreWithin(Duration value, Duration slow) {
        return new PoolConfig(
                depth,
                refillInterval,
                entryMaxAge,
                parallelRestores,
                value,
                slow,
                checkWithin,
                checkedRecently,
                destroyWithin,
                closeWithin,
                retry,
                budget,
                atClose);
    }

    public PoolConfig withChecks(Duration within, Duration recently) {
        return new PoolConfig(
                depth,
                refillInterval,
                entryMaxAge,
                parallelRestores,
                restoreWithin,
                slowAfter,
                within,
                recently,
                destroyWithin,
                closeWithin,
                retry,
                budget,
                atClose);
    }

    public PoolConfig withRetry(Retry value) {
        return new PoolConfig(
                depth,
                refillInterval,
                entryMaxAge,
                parallelRestores,
                restoreWithin,
                slowAfter,
                checkWithin,
                checkedRecently,
                destroyWithin,
                closeWithin,
                value,
                budget,
                atClose);
    }

    public PoolConfig withBudget(Budget value) {
        return new PoolConfig(
                depth,
                refillInterval,
                entryMaxAge,
                parallelRestores,
                restoreWithin,
                slowAfter,
                checkWithin,
                checkedRecently,
                destroyWithin,
                closeWithin,
                retry,
                value,
                atClose);
    }

    public PoolConfig withAtClose(AtClose value) {
        return new PoolConfig(
                depth,
                refillInterval,
                entryMaxAge,
                parallelRestores,
                restoreWithin,
                slowAfter,
                checkWithin,
                checkedRecently,
                destroyWithin,
                closeWithin,
                retry,
                budget,
                value);
    }
}
