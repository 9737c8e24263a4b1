package dev.cloche.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PoolMetersTest {
    @Test
    void saysOfEachKeyHowItStandsAndHowLongThingsTake() {
        StackKey key = Host.key("stack");
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        PoolMeters meters = new PoolMeters(registry);
        PoolConfig config =
                PoolConfig.DEFAULT.withRetry(new PoolConfig.Retry(Duration.ofMillis(5), Duration.ofMillis(5), 1));
        try (Host host = new Host();
                WarmPool pool = WarmPool.start(host.provider, config, meters)) {
            var snapshot = host.snapshot("s");
            host.faults.failRestores(1);
            pool.register(
                    key,
                    Registration.of(snapshot)
                            .withDepth(DepthPolicy.of(2))
                            .withPreparation(Preparation.NONE.withHealthCheck(guest -> {})));
            await().until(() -> pool.metrics().created() == 2);
            pool.acquire(key, Host.HANDOFF, Host.soon()).close();
            pool.unregister(key);
            await().until(() -> pool.metrics().evicted() >= 1);
            assertThat(registry.get("cloche.pool.acquire")
                            .tag("kind", "warm")
                            .timer()
                            .count())
                    .isEqualTo(1);
            assertThat(registry.get("cloche.pool.restore").timer().count()).isGreaterThanOrEqualTo(2);
            assertThat(registry.get("cloche.pool.validate")
                            .tag("verdict", "healthy")
                            .timer()
                            .count())
                    .isGreaterThanOrEqualTo(2);
            assertThat(registry.get("cloche.pool.refill.lag").timer().count()).isGreaterThanOrEqualTo(2);
            assertThat(registry.get("cloche.pool.failures")
                            .tag("code", "vm.snapshot-mismatch")
                            .counter()
                            .count())
                    .isEqualTo(1);
            assertThat(registry.get("cloche.pool.stalls").counter().count()).isEqualTo(1);
            assertThat(registry.get("cloche.pool.evictions")
                            .tag("cause", "unregister")
                            .counter()
                            .count())
                    .isGreaterThanOrEqualTo(1);
            // What is not registered any more stands at nothing.
            assertThat(registry.get("cloche.pool.depth")
                            .tag("name", "stack")
                            .gauge()
                            .value())
                    .isZero();
            assertThat(registry.get("cloche.pool.quarantined").gauge().value()).isZero();
        }
    }
}
