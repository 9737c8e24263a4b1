package dev.cloche.pool;

import static dev.cloche.pool.Host.HANDOFF;
import static dev.cloche.pool.Host.key;
import static dev.cloche.pool.Host.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.vm.PooledVm;
import dev.cloche.vm.SnapshotRef;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a pool keeps ready, when, and how much of it. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WarmPoolRefillTest extends WarmPoolFixture {
    @Test
    void refillsToTheMaximumAndNotBeyond() {
        WarmPool pool = open(QUIET);
        register(pool, KEY, host.snapshot("s"));
        awaitDepth(pool, KEY, 4);
        assertThat(pool.metrics().created()).isEqualTo(4);
        assertThat(host.provider.pooled()).hasSize(4).allMatch(vm -> vm.stage() == PooledVm.Stage.SHELVED);
    }

    @Test
    void runsNothingBetweenTheIntervalsIfNothingHappens() {
        WarmPool pool = open(depth(DepthPolicy.of(1)));
        register(pool, KEY, host.snapshot("s"));
        awaitDepth(pool, KEY, 1);
        long runs = pool.metrics().refillRuns();
        await().during(Duration.ofMillis(200)).until(() -> pool.metrics().refillRuns() == runs);
    }

    @Test
    void looksAroundAtEachIntervalEvenWithoutKeys() {
        WarmPool pool = open(
                PoolConfigs.from(QUIET).refillInterval(Duration.ofMillis(20)).config());
        await().until(() -> pool.metrics().refillRuns() >= 3);
    }

    @Test
    void evictsWhatIsTooOldAndReplacesIt() {
        maxAge = Duration.ofMillis(300);
        WarmPool pool = open(depth(DepthPolicy.of(2)));
        register(pool, KEY, host.snapshot("s"));
        await().until(() -> of(pool, KEY).evictions().getOrDefault(Eviction.AGE, 0L) >= 4);
        await().until(() -> of(pool, KEY).depth() == 2);
        assertThat(pool.metrics().created()).isGreaterThanOrEqualTo(6);
    }

    @Test
    void aColdKeyKeepsNothingUntilItIsAskedForAgain() {
        SnapshotRef snapshot = host.snapshot("s");
        WarmPool pool = open(depth(DepthPolicy.of(2)));
        register(pool, KEY, snapshot);
        awaitDepth(pool, KEY, 2);
        // Not before: on a busy host the key would be cold before anything was restored.
        register(pool, KEY, snapshot, DepthPolicy.of(2).coldAfter(Duration.ofMillis(100)));
        await().until(() -> of(pool, KEY).evictions().getOrDefault(Eviction.SURPLUS, 0L) == 2);
        assertThat(of(pool, KEY).target()).isZero();
        try (WarmVm warm = pool.acquire(KEY, HANDOFF, soon())) {
            assertThat(warm.kind()).isEqualTo(PoolStartKind.RESTORED);
        }
        await().until(() -> pool.metrics().created() > 3);
    }

    @Test
    void theBudgetHoldsAndWhoWaitsGetsAnIdleKeysPlace() {
        WarmPool pool = open(PoolConfigs.from(QUIET).budget(2, 4096).config());
        SnapshotRef snapshot = host.snapshot("s");
        register(pool, KEY, snapshot);
        await().until(() -> of(pool, KEY).depth() == 2);
        StackKey other = key("other");
        register(pool, other, snapshot, DepthPolicy.of(1));
        pool.acquire(other, HANDOFF, soon()).close();
        assertThat(of(pool, KEY).evictions()).containsEntry(Eviction.BUDGET, 1L);
    }

    @Test
    void whileTheHostIsShortOfMemoryEntriesEndAndOneLineSaysSo() {
        List<String> lines = new CopyOnWriteArrayList<>();
        Logger logger = Logger.getLogger(WarmPool.class.getName());
        logger.setFilter(line -> !line.getMessage().contains("short of memory") || !lines.add(line.getMessage()));
        try {
            WarmPool pool = open(depth(DepthPolicy.of(3)));
            register(pool, KEY, host.snapshot("s"));
            awaitDepth(pool, KEY, 3);
            host.faults.shortOfMemory("2 MiB are left");
            await().until(() -> host.provider.pooled().isEmpty());
            assertThat(of(pool, KEY).evictions()).containsEntry(Eviction.PRESSURE, 3L);
            assertThatThrownBy(() -> pool.acquire(KEY, HANDOFF, soon()))
                    .isInstanceOf(PoolException.NotRestored.class)
                    .hasMessageContaining("2 MiB are left");
            assertThat(of(pool, KEY).inFlight()).isZero();
            assertThat(pool.metrics().created()).isEqualTo(3);
            assertThat(lines).singleElement().asString().endsWith(": 2 MiB are left");
        } finally {
            logger.setFilter(null);
        }
    }
}
