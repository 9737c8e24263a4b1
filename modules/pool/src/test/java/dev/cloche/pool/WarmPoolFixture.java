package dev.cloche.pool;

import static dev.cloche.pool.Host.ANYBODY;
import static dev.cloche.pool.Host.key;
import static dev.cloche.pool.Host.soon;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;

/** A pool on VMs in memory, as its users see it. */
abstract class WarmPoolFixture {
    static final StackKey KEY = key("stack");
    static final PoolConfig QUIET = PoolConfig.DEFAULT
            .withRefillInterval(Duration.ofHours(1))
            .withChecks(Duration.ofSeconds(1), Duration.ofHours(1))
            .withRetry(new PoolConfig.Retry(Duration.ofMillis(5), Duration.ofMillis(20), 3));

    final Host host = new Host();
    final List<PoolEvent> events = new CopyOnWriteArrayList<>();
    private Optional<WarmPool> pool = Optional.empty();

    @AfterEach
    void closeEverything() {
        pool.ifPresent(WarmPool::close);
        host.close();
    }

    WarmPool open(PoolConfig config) {
        return open(config, EntryValidator.none());
    }

    WarmPool open(PoolConfig config, EntryValidator validator) {
        WarmPool opened = WarmPool.start(host.provider, config, validator, events::add);
        pool = Optional.of(opened);
        return opened;
    }

    static PoolMetrics.Key of(WarmPool pool, StackKey key) {
        return Optional.ofNullable(pool.metrics().keys().get(key)).orElseThrow();
    }

    static void awaitDepth(WarmPool pool, StackKey key, int depth) {
        await().until(() -> of(pool, key).depth() == depth && of(pool, key).inFlight() == 0);
    }

    static Optional<WarmVm> take(WarmPool pool, StackKey key) {
        return pool.tryAcquire(key, ANYBODY, soon());
    }

    static void waitFor(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
