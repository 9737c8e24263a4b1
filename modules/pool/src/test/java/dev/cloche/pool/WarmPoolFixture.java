package dev.cloche.pool;

import static dev.cloche.pool.Host.key;
import static org.awaitility.Awaitility.await;

import dev.cloche.vm.SnapshotRef;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;

/** A pool on VMs in memory, as its users see it. */
public abstract class WarmPoolFixture {
    public static final StackKey KEY = key("stack");
    static final PoolConfig QUIET = PoolConfigs.from(PoolConfig.DEFAULT)
            .refillInterval(Duration.ofHours(1))
            .retry(Duration.ofMillis(5), Duration.ofMillis(20), 3)
            .config();

    final Host host = new Host();
    final List<PoolEvent> events = new CopyOnWriteArrayList<>();
    /** Of what is registered from now on. */
    DepthPolicy depth = DepthPolicy.DEFAULT;

    Duration maxAge = Registration.DEFAULT_MAX_AGE;
    Preparation preparation = Preparation.NONE;
    private Optional<WarmPool> pool = Optional.empty();

    @AfterEach
    void closeEverything() {
        pool.ifPresent(WarmPool::close);
        host.close();
    }

    /** The usual configuration, of a pool whose keys have this depth. */
    PoolConfig depth(DepthPolicy value) {
        depth = value;
        return QUIET;
    }

    WarmPool open(PoolConfig config) {
        WarmPool opened = WarmPool.start(host.provider, config, events::add);
        pool = Optional.of(opened);
        return opened;
    }

    void register(WarmPool where, StackKey key, SnapshotRef snapshot) {
        register(where, key, snapshot, depth);
    }

    void register(WarmPool where, StackKey key, SnapshotRef snapshot, DepthPolicy keyDepth) {
        where.register(
                key,
                Registration.of(snapshot).withDepth(keyDepth).withMaxAge(maxAge).withPreparation(preparation));
    }

    static PoolMetrics.Key of(WarmPool pool, StackKey key) {
        return Optional.ofNullable(pool.metrics().keys().get(key)).orElseThrow();
    }

    static void awaitDepth(WarmPool pool, StackKey key, int depth) {
        await().until(() -> of(pool, key).depth() == depth && of(pool, key).inFlight() == 0);
    }

    static void waitFor(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
