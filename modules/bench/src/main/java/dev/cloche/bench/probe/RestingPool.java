package dev.cloche.bench.probe;

import dev.cloche.pool.PoolMetrics;
import dev.cloche.pool.WarmPool;
import java.util.concurrent.locks.LockSupport;

/** Waits until a pool has its depth and is idle: a refill beside what is measured would be measured too. */
final class RestingPool {
    private static final long LOOK_NANOS = 1_000_000;

    private RestingPool() {}

    static void await(WarmPool pool) {
        while (pool.metrics().keys().values().stream().anyMatch(RestingPool::busy)) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private static boolean busy(PoolMetrics.Key key) {
        return key.depth() < key.target() || key.inFlight() > 0;
    }
}
