package dev.cloche.pool;

import static dev.cloche.pool.Host.HANDOFF;
import static dev.cloche.pool.Host.key;
import static dev.cloche.pool.Host.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.vm.SnapshotRef;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a pool does when restores and removals fail or hang. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WarmPoolTroubleTest extends WarmPoolFixture {
    @Test
    void failuresAreCountedAndToldAndARecoveryToo() {
        WarmPool pool = open(depth(DepthPolicy.of(1)));
        host.faults.failRestores(4);
        register(pool, KEY, host.snapshot("s"));
        awaitDepth(pool, KEY, 1);
        assertThat(of(pool, KEY).failures()).containsEntry("vm.snapshot-mismatch", 4L);
        assertThat(of(pool, KEY).lastError()).isPresent();
        assertThat(of(pool, KEY).stalled()).isFalse();
        await().untilAsserted(() -> {
            assertThat(events).filteredOn(PoolEvent.Stalled.class::isInstance).hasSize(1);
            assertThat(events).filteredOn(PoolEvent.Recovered.class::isInstance).hasSize(1);
        });
        await().until(() -> host.vms() == 1);
    }

    @Test
    void whoCannotBeRestoredIsToldOnceTheBreakerIsOpen() {
        WarmPool pool = open(PoolConfigs.from(QUIET)
                .retry(Duration.ofMillis(5), Duration.ofHours(1), 2)
                .config());
        host.faults.failRestores(Integer.MAX_VALUE);
        register(pool, KEY, host.snapshot("s"));
        assertThatThrownBy(() -> pool.acquire(KEY, HANDOFF, soon())).isInstanceOf(PoolException.NotRestored.class);
    }

    @Test
    void aHangingRestoreDelaysNoOtherKey() {
        WarmPool pool = open(PoolConfigs.from(depth(DepthPolicy.of(1)))
                .parallelRestores(1)
                .config()
                .withRestoreWithin(Duration.ofSeconds(30), Duration.ofMillis(30)));
        StackKey slow = key("slow");
        host.faults.hangBoots(1000);
        SnapshotRef snapshot = slowSnapshot();
        register(pool, slow, snapshot);
        await().until(() ->
                of(pool, slow).inFlight() == 1 || of(pool, slow).lastError().isPresent());
        host.faults.hangBoots(0);
        register(pool, KEY, snapshot);
        awaitDepth(pool, KEY, 1);
    }

    private SnapshotRef slowSnapshot() {
        host.faults.hangBoots(0);
        SnapshotRef snapshot = host.snapshot("slow");
        host.faults.hangBoots(1000);
        return snapshot;
    }

    @Test
    void whatCannotBeDestroyedIsTriedAgain() {
        WarmPool pool = open(depth(DepthPolicy.of(2)));
        register(pool, KEY, host.snapshot("s"));
        awaitDepth(pool, KEY, 2);
        host.faults.failDestroys(3);
        pool.unregister(KEY);
        await().until(() -> host.vms() == 0);
        await().until(() -> pool.metrics().quarantined() == 0);
        await().untilAsserted(() -> assertThat(events)
                .filteredOn(PoolEvent.Quarantined.class::isInstance)
                .hasSize(3));
    }
}
