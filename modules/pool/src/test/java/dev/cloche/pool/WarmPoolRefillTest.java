package dev.cloche.pool;

import static dev.cloche.pool.Host.ANYBODY;
import static dev.cloche.pool.Host.key;
import static dev.cloche.pool.Host.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.vm.PooledVm;
import dev.cloche.vm.SnapshotRef;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a pool keeps ready, when, and how much of it. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WarmPoolRefillTest extends WarmPoolFixture {
    @Test
    void refillsToTheMaximumAndNotBeyond() {
        WarmPool pool = open(QUIET);
        pool.register(KEY, host.snapshot("s"));
        awaitDepth(pool, KEY, 4);
        assertThat(pool.metrics().created()).isEqualTo(4);
        assertThat(host.provider.pooled()).hasSize(4).allMatch(vm -> vm.stage() == PooledVm.Stage.SHELVED);
    }

    @Test
    void isEmptyBeforeTheFirstRefill() {
        CountDownLatch go = new CountDownLatch(1);
        WarmPool pool = open(QUIET, vm -> {
            waitFor(go);
            return Verdict.HEALTHY;
        });
        pool.register(KEY, host.snapshot("s"));
        assertThat(take(pool, KEY)).isEmpty();
        assertThat(of(pool, KEY).misses()).isEqualTo(1);
        go.countDown();
    }

    @Test
    void runsNothingBetweenTheIntervalsIfNothingHappens() {
        WarmPool pool = open(QUIET.withDepth(DepthPolicy.of(1)));
        pool.register(KEY, host.snapshot("s"));
        awaitDepth(pool, KEY, 1);
        long runs = pool.metrics().refillRuns();
        await().during(Duration.ofMillis(200)).until(() -> pool.metrics().refillRuns() == runs);
    }

    @Test
    void looksAroundAtEachIntervalEvenWithoutKeys() {
        WarmPool pool = open(QUIET.withRefillInterval(Duration.ofMillis(20)));
        await().until(() -> pool.metrics().refillRuns() >= 3);
    }

    @Test
    void countsWhatIsRejectedAtRefillAndDoesNotSpin() {
        WarmPool pool = open(
                QUIET.withRetry(new PoolConfig.Retry(Duration.ofHours(1), Duration.ofHours(1), 3)),
                vm -> new Verdict.Unhealthy("never"));
        pool.register(KEY, host.snapshot("s"));
        await().until(() ->
                pool.metrics().validationFailures() >= 1 && of(pool, KEY).inFlight() == 0);
        assertThat(pool.metrics().created()).isBetween(1L, 2L);
        assertThat(pool.metrics().validationFailures()).isEqualTo(pool.metrics().created());
        assertThat(of(pool, KEY).lastError()).contains("never");
        await().until(() -> host.vms() == 0);
    }

    @Test
    void evictsWhatIsTooOldAndReplacesIt() {
        WarmPool pool = open(QUIET.withDepth(DepthPolicy.of(2)).withEntryMaxAge(Duration.ofMillis(300)));
        pool.register(KEY, host.snapshot("s"));
        await().until(() -> of(pool, KEY).evictions().getOrDefault(Eviction.AGE, 0L) >= 4);
        await().until(() -> of(pool, KEY).depth() == 2);
        assertThat(pool.metrics().created()).isGreaterThanOrEqualTo(6);
    }

    @Test
    void aColdKeyKeepsNothingUntilItIsAskedForAgain() {
        WarmPool pool = open(QUIET.withDepth(DepthPolicy.of(2).coldAfter(Duration.ofMillis(100))));
        pool.register(KEY, host.snapshot("s"));
        await().until(() -> of(pool, KEY).evictions().getOrDefault(Eviction.SURPLUS, 0L) == 2);
        assertThat(of(pool, KEY).target()).isZero();
        try (WarmVm warm = pool.acquire(KEY, ANYBODY, soon())) {
            assertThat(warm.kind()).isEqualTo(StartKind.RESTORED);
        }
        await().until(() -> pool.metrics().created() > 3);
    }

    @Test
    void theBudgetHoldsAndWhoWaitsGetsAnIdleKeysPlace() {
        WarmPool pool = open(QUIET.withBudget(new PoolConfig.Budget(2, 4096)));
        SnapshotRef snapshot = host.snapshot("s");
        pool.register(KEY, snapshot);
        await().until(() -> of(pool, KEY).depth() == 2);
        StackKey other = key("other");
        pool.register(other, Registration.of(snapshot).withDepth(DepthPolicy.of(1)));
        try (WarmVm warm = pool.acquire(other, ANYBODY, soon())) {
            assertThat(warm.key()).isEqualTo(other);
        }
        assertThat(of(pool, KEY).evictions()).containsEntry(Eviction.BUDGET, 1L);
    }
}
