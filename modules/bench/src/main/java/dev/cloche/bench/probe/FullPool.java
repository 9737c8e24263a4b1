package dev.cloche.bench.probe;

import dev.cloche.Cloche;
import dev.cloche.PoolInfo;
import dev.cloche.pool.PoolEvent;
import dev.cloche.pool.PoolListener;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/**
 * Waits until the only pool of an application has its depth: a refill beside what is measured would be measured too. It is
 * the application's listener, and looks again after each event.
 */
public final class FullPool implements PoolListener {
    private final Semaphore events = new Semaphore(0);
    private volatile Optional<String> failure = Optional.empty();

    @Override
    public void happened(PoolEvent event) {
        if (event instanceof PoolEvent.RestoreFailed failed) {
            failure = Optional.of(failed.why());
        }
        events.release();
    }

    /**
     * Waits.
     *
     * @throws IllegalStateException if a VM of the pool could not be made
     */
    public void await(Cloche cloche) throws InterruptedException {
        while (true) {
            var _ = events.drainPermits();
            failure.ifPresent(why -> {
                throw new IllegalStateException(why);
            });
            PoolInfo pool = cloche.pools().list().getFirst();
            if (pool.ready() == pool.depth() && pool.making() == 0) {
                return;
            }
            events.acquire();
        }
    }
}
