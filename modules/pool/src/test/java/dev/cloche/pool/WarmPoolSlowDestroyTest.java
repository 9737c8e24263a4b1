package dev.cloche.pool;

import static dev.cloche.pool.Host.HANDOFF;
import static dev.cloche.pool.Host.key;
import static dev.cloche.pool.Host.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmId;
import dev.cloche.vm.testing.InMemoryFaults.Step;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Destroying that hangs for as long as a test lasts delays no other acquirer. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WarmPoolSlowDestroyTest extends WarmPoolFixture {
    private final CountDownLatch go = new CountDownLatch(1);
    private final AtomicInteger hanging = new AtomicInteger();

    @AfterEach
    void letGo() {
        go.countDown();
        await().until(() -> hanging.get() == 0);
    }

    /** The next destructions, as many, wait for the end of the test. */
    private void hang(int count) {
        AtomicInteger left = new AtomicInteger(count);
        host.faults.before(Step.DESTROY, () -> {
            if (left.getAndDecrement() > 0) {
                hanging.incrementAndGet();
                waitFor(go);
                hanging.decrementAndGet();
            }
        });
    }

    @Test
    void refillsGoOnWhileWhatTheyReplaceCannotBeDestroyed() {
        WarmPool pool = open(depth(DepthPolicy.of(3)));
        SnapshotRef current = host.snapshot("current");
        register(pool, KEY, host.snapshot("old"));
        awaitDepth(pool, KEY, 3);
        hang(3);
        register(pool, KEY, current);
        await().until(() -> hanging.get() == 3);
        awaitDepth(pool, KEY, 3);
        Map<VmId, SnapshotRef> sources = host.sources();
        try (WarmVm warm = pool.acquire(KEY, HANDOFF, soon())) {
            assertThat(warm.kind()).isEqualTo(PoolStartKind.WARM);
            assertThat(sources).containsEntry(warm.id(), current);
        }
        awaitDepth(pool, KEY, 3);
        assertThat(hanging).hasValue(3);
    }

    @Test
    void whoWaitsForAPlaceOnTheHostGetsAnotherWhenTheFirstIsNotFreed() {
        WarmPool pool = open(PoolConfigs.from(QUIET)
                .budget(3, 4096)
                .config()
                .withRestoreWithin(Duration.ofSeconds(30), Duration.ofMillis(50)));
        SnapshotRef snapshot = host.snapshot("s");
        register(pool, KEY, snapshot);
        await().until(() -> of(pool, KEY).depth() == 3);
        hang(1);
        StackKey other = key("other");
        register(pool, other, snapshot, DepthPolicy.of(1));
        pool.acquire(other, HANDOFF, soon()).close();
        assertThat(hanging).hasValue(1);
        assertThat(of(pool, KEY).evictions()).containsEntry(Eviction.BUDGET, 2L);
    }

    @Test
    void closingReturnsAllTheSame() {
        WarmPool pool = open(depth(DepthPolicy.of(2)));
        register(pool, KEY, host.snapshot("s"));
        awaitDepth(pool, KEY, 2);
        hang(2);
        pool.unregister(KEY);
        await().until(() -> hanging.get() == 2);
        pool.close();
        go.countDown();
        await().until(() -> host.vms() == 0);
    }
}
