package dev.cloche.pool;

/**
 * Is told what happens. Called from several threads at once, never under a lock of the pool; what it throws is logged and
 * otherwise ignored.
 */
@FunctionalInterface
public interface PoolListener {
    void happened(PoolEvent event);

    static PoolListener none() {
        return event -> {};
    }

    /** Both, this one first. */
    default PoolListener and(PoolListener other) {
        return event -> {
            happened(event);
            other.happened(event);
        };
    }
}
