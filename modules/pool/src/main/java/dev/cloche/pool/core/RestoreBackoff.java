package dev.cloche.pool.core;

import dev.cloche.pool.PoolConfig;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * Counts failures of a key's restores in a row, and decides on the back-off that follows from them. Pure; times are
 * monotonic nanoseconds.
 *
 * @param retryAt no restore before
 * @param last the latest failure, also after it is over
 */
record RestoreBackoff(int failures, long retryAt, Optional<String> last) {
    static final RestoreBackoff NONE = new RestoreBackoff(0, Long.MIN_VALUE, Optional.empty());

    RestoreBackoff failed(String why, PoolConfig.Retry retry, long now, RandomGenerator random) {
        double full = retry.first().toNanos() * Math.pow(2, Math.min(failures, 40));
        double pause = Math.min(full, (double) retry.longest().toNanos()) * (1 - random.nextDouble() / 2);
        return new RestoreBackoff(failures + 1, now + (long) pause, Optional.of(why));
    }

    RestoreBackoff over() {
        return new RestoreBackoff(0, Long.MIN_VALUE, last);
    }

    boolean pausing(long now) {
        return failures > 0 && now - retryAt < 0;
    }

    /** Says whether so many have failed that the next is only a trial. */
    boolean broken(PoolConfig.Retry retry) {
        return failures >= retry.breakAfter();
    }
}
