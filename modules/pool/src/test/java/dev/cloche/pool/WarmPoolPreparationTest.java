package dev.cloche.pool;

import static dev.cloche.pool.Host.HANDOFF;
import static dev.cloche.pool.Host.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestExecution;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Warm-ups and health checks see the running guest of a new VM, and decide whether it is shelved. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WarmPoolPreparationTest extends WarmPoolFixture {
    @Test
    void theWarmUpComesFirstAndBothUseTheRunningGuest() {
        List<String> order = new CopyOnWriteArrayList<>();
        preparation = Preparation.NONE
                .withHealthCheck(guest -> {
                    try (GuestExecution run = guest.exec(ExecRequest.of("true"), soon())) {
                        order.add("check " + run.await(soon()).success());
                    }
                })
                .withWarmUp(guest -> {
                    try (GuestExecution run = guest.exec(ExecRequest.of("true"), soon())) {
                        order.add("warm-up " + run.await(soon()).success());
                    }
                });
        WarmPool pool = open(depth(DepthPolicy.of(1)));
        register(pool, KEY, host.snapshot("s"));
        awaitDepth(pool, KEY, 1);
        assertThat(order).containsExactly("warm-up true", "check true");
        assertThat(events).filteredOn(PoolEvent.Checked.class::isInstance).hasSize(1);
        try (WarmVm warm = pool.acquire(KEY, HANDOFF, soon())) {
            assertThat(warm.kind()).isEqualTo(PoolStartKind.WARM);
        }
    }

    @Test
    void aVmThatIsRefusedIsDestroyedCountedAndNotTriedAgainAtOnce() {
        preparation = Preparation.NONE.withHealthCheck(guest -> {
            throw new IllegalStateException("port 80 is closed");
        });
        WarmPool pool = open(PoolConfigs.from(depth(DepthPolicy.DEFAULT))
                .retry(Duration.ofHours(1), Duration.ofHours(1), 3)
                .config());
        register(pool, KEY, host.snapshot("s"));
        await().until(() ->
                pool.metrics().validationFailures() >= 1 && of(pool, KEY).inFlight() == 0);
        assertThat(pool.metrics().created()).isBetween(1L, 2L);
        assertThat(pool.metrics().validationFailures()).isEqualTo(pool.metrics().created());
        assertThat(of(pool, KEY).failures()).containsOnlyKeys("pool.rejected");
        assertThat(of(pool, KEY).lastError().orElseThrow())
                .contains("health check")
                .contains("port 80 is closed");
        assertThat(of(pool, KEY).depth()).isZero();
        await().until(() -> host.vms() == 0);
    }

    @Test
    void aRefusalIsFollowedByAnotherVmAndTheShelfIsFilled() {
        AtomicInteger bad = new AtomicInteger(2);
        preparation = Preparation.NONE.withWarmUp(guest -> {
            if (bad.getAndDecrement() > 0) {
                throw new IllegalStateException("not yet");
            }
        });
        WarmPool pool = open(depth(DepthPolicy.of(2)));
        register(pool, KEY, host.snapshot("s"));
        awaitDepth(pool, KEY, 2);
        assertThat(pool.metrics().validationFailures()).isEqualTo(2);
        await().until(() -> host.vms() == 2);
    }

    @Test
    void aHealthCheckThatHangsIsInterruptedAndItsVmRefused() {
        CountDownLatch interrupted = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        preparation = Preparation.NONE.withHealthCheck(guest -> {
            if (calls.getAndIncrement() == 0) {
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    interrupted.countDown();
                }
            }
        });
        WarmPool pool = open(depth(DepthPolicy.of(1)).withPrepareWithin(Duration.ofMillis(200)));
        register(pool, KEY, host.snapshot("s"));
        waitFor(interrupted);
        awaitDepth(pool, KEY, 1);
        assertThat(of(pool, KEY).lastError().orElseThrow()).contains("took longer than");
    }
}
