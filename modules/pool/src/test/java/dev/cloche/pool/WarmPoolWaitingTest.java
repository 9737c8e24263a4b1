package dev.cloche.pool;

import static dev.cloche.pool.Host.HANDOFF;
import static dev.cloche.pool.Host.key;
import static dev.cloche.pool.Host.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.base.Deadline;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Acquirers wait for a VM, and their waits end in one of several ways. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WarmPoolWaitingTest extends WarmPoolFixture {
    @Test
    void everyoneWhoWaitsGetsARestoreInFlight() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        preparation = Preparation.NONE.withWarmUp(guest -> waitFor(go));
        WarmPool pool = open(PoolConfigs.from(depth(DepthPolicy.of(1)))
                .parallelRestores(1)
                .config()
                .withPrepareWithin(Duration.ofMinutes(5)));
        register(pool, KEY, host.snapshot("s"));
        List<Integer> order = new CopyOnWriteArrayList<>();
        try (ExecutorService many = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 5; i++) {
                int who = i;
                var _ = many.submit(() -> {
                    HandOff noted = new HandOff() {
                        @Override
                        public void chosen(VmId vm) {
                            order.add(who);
                        }

                        @Override
                        public GuestIdentity identity() {
                            return HANDOFF.identity();
                        }
                    };
                    try (WarmVm warm = pool.acquire(KEY, noted, soon())) {
                        assertThat(warm.kind()).isEqualTo(PoolStartKind.RESTORED);
                    }
                    return who;
                });
                await().until(() -> of(pool, KEY).waiters() == who + 1);
            }
            go.countDown();
        }
        assertThat(order).containsExactlyInAnyOrder(0, 1, 2, 3, 4);
        assertThat(of(pool, KEY).lateHits()).isEqualTo(5);
    }

    @Test
    void aWaitEndsWithItsDeadlineAndWithAnInterruptAndLeavesNothingBehind() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        preparation = Preparation.NONE.withWarmUp(guest -> waitFor(go));
        WarmPool pool = open(depth(DepthPolicy.of(1)).withPrepareWithin(Duration.ofMinutes(5)));
        register(pool, KEY, host.snapshot("s"));
        assertThatThrownBy(() -> pool.acquire(KEY, HANDOFF, Deadline.after(Duration.ofMillis(50))))
                .isInstanceOf(PoolException.Late.class);
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread waiting = Thread.ofPlatform().start(() -> {
            try {
                pool.acquire(KEY, HANDOFF, soon()).close();
            } catch (PoolException.Interrupted e) {
                failure.complete(Thread.currentThread().isInterrupted() ? e : new AssertionError("not interrupted"));
            }
        });
        await().until(() -> of(pool, KEY).waiters() == 1);
        waiting.interrupt();
        assertThat(failure.get(5, TimeUnit.MINUTES)).isInstanceOf(PoolException.Interrupted.class);
        assertThat(of(pool, KEY).waiters()).isZero();
        go.countDown();
        awaitDepth(pool, KEY, 1);
        await().until(() -> host.vms() == 1);
    }

    @Test
    void closingEndsTheWaitingAndWhatIsUnderWayAndLeavesTheShelvesAsTheyAre() throws Exception {
        WarmPool pool = open(QUIET);
        register(pool, KEY, host.snapshot("s"));
        awaitDepth(pool, KEY, 4);
        SnapshotRef another = host.snapshot("t");
        host.faults.hangBoots(1000);
        StackKey hanging = key("hanging");
        register(pool, hanging, another);
        try (ExecutorService one = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<WarmVm> waiting = one.submit(() -> pool.acquire(hanging, HANDOFF, soon()));
            await().until(() -> of(pool, hanging).waiters() == 1);
            pool.close();
            assertThatThrownBy(waiting::get).hasCauseInstanceOf(PoolException.Closed.class);
        }
        pool.close();
        await().untilAsserted(() -> {
            assertThat(host.vms()).isEqualTo(4);
            assertThat(host.provider.pooled()).allMatch(vm -> vm.stage() == PooledVm.Stage.SHELVED);
        });
        assertThatThrownBy(() -> pool.acquire(KEY, HANDOFF, soon())).isInstanceOf(PoolException.Closed.class);
        assertThatThrownBy(() -> register(pool, KEY, another)).isInstanceOf(PoolException.Closed.class);
    }
}
