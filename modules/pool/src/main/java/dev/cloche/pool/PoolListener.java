package dev.cloche.pool;

import java.util.function.Supplier;

/**
 * Is told what happens. Called from several threads at once, never under a lock of the pool; what it throws is logged and
 * otherwise ignored.
 */
@FunctionalInterface
public interface PoolListener {
    void happened(PoolEvent event);

    /**
     * Hears that a pool begins, whose events come from now on.
     *
     * @param metrics answers with the pool's figures whenever it is asked
     */
    default void begins(Supplier<PoolMetrics> metrics) {}

    static PoolListener none() {
        return event -> {};
    }
}
