package dev.cloche.pool;

import static dev.cloche.pool.Host.ANYBODY;
import static dev.cloche.pool.Host.key;
import static dev.cloche.pool.Host.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.base.Deadline;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.InvalidVmSpecException;
import dev.cloche.vm.PoolSlot;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.VmState;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The pool as its users see it, on VMs in memory. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WarmPoolTest {
    private static final StackKey KEY = key("stack");
    private static final PoolConfig QUIET = PoolConfig.DEFAULT
            .withRefillInterval(Duration.ofHours(1))
            .withChecks(Duration.ofSeconds(1), Duration.ofHours(1))
            .withRetry(new PoolConfig.Retry(Duration.ofMillis(5), Duration.ofMillis(20), 3));

    private final Host host = new Host();
    private final List<PoolEvent> events = new CopyOnWriteArrayList<>();
    private Optional<WarmPool> pool = Optional.empty();

    @AfterEach
    void closeEverything() {
        pool.ifPresent(WarmPool::close);
        host.close();
    }

    private WarmPool open(PoolConfig config) {
        return open(config, EntryValidator.none());
    }

    private WarmPool open(PoolConfig config, EntryValidator validator) {
        WarmPool opened = WarmPool.start(host.provider, config, validator, events::add);
        pool = Optional.of(opened);
        return opened;
    }

    private static PoolMetrics.Key of(WarmPool pool, StackKey key) {
        return Optional.ofNullable(pool.metrics().keys().get(key)).orElseThrow();
    }

    private static void awaitDepth(WarmPool pool, StackKey key, int depth) {
        await().until(() -> of(pool, key).depth() == depth && of(pool, key).inFlight() == 0);
    }

    private static Optional<WarmVm> take(WarmPool pool, StackKey key) {
        return pool.tryAcquire(key, ANYBODY, soon());
    }

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

    private static void waitFor(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void handsOutALiveGuestWithItsIdentityAndItsSnapshot() throws Exception {
        WarmPool pool = open(QUIET);
        SnapshotRef snapshot = host.snapshot("s");
        pool.register(KEY, snapshot);
        awaitDepth(pool, KEY, 4);
        HandOff handOff = () -> GuestIdentity.fresh("mine", Clock.systemUTC());
        try (WarmVm warm = pool.acquire(KEY, handOff, soon())) {
            assertThat(warm.kind()).isEqualTo(StartKind.WARM);
            assertThat(warm.sourceSnapshot()).contains(snapshot);
            assertThat(warm.key()).isEqualTo(KEY);
            Vm vm = warm.take();
            try (vm) {
                assertThat(vm.state()).isEqualTo(VmState.RUNNING);
                var hostname = vm.guest().exec(ExecRequest.of("hostname"), soon());
                assertThat(new String(hostname.stdout().readAllBytes(), StandardCharsets.UTF_8))
                        .isEqualTo("mine\n");
            }
            assertThatThrownBy(warm::take).isInstanceOf(PoolException.Taken.class);
            vm.destroy();
        }
        // Refilled on demand, long before the interval.
        awaitDepth(pool, KEY, 4);
        assertThat(pool.metrics().acquired()).isEqualTo(1);
        assertThat(of(pool, KEY).hits()).isEqualTo(1);
        assertThat(pool.metrics().evicted()).isZero();
    }

    @Test
    void aHandleThatNobodyTookEndsItsVm() {
        WarmPool pool = open(QUIET.withDepth(DepthPolicy.of(1)));
        pool.register(KEY, host.snapshot("s"));
        VmId id;
        try (WarmVm warm = pool.acquire(KEY, ANYBODY, soon())) {
            id = warm.id();
        }
        assertThat(host.provider.get(id)).isEmpty();
    }

    @Test
    void neverHandsAVmOutTwice() throws Exception {
        WarmPool pool = open(QUIET);
        pool.register(KEY, host.snapshot("s"));
        Set<VmId> seen = ConcurrentHashMap.newKeySet();
        AtomicInteger handed = new AtomicInteger();
        try (ExecutorService many = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 40; i++) {
                var _ = many.submit(() -> {
                    try (WarmVm warm = pool.acquire(KEY, ANYBODY, soon())) {
                        handed.incrementAndGet();
                        seen.add(warm.id());
                    }
                });
            }
        }
        assertThat(handed).hasValue(40);
        assertThat(seen).hasSize(40);
        assertThat(pool.metrics().acquired()).isEqualTo(40);
    }

    @Test
    void drainsUnhealthyEntriesAndReturnsTheNext() {
        Set<VmId> bad = ConcurrentHashMap.newKeySet();
        WarmPool pool = open(
                QUIET.withDepth(DepthPolicy.of(3)).withChecks(Duration.ofSeconds(1), Duration.ofNanos(1)),
                vm -> bad.contains(vm) ? new Verdict.Unhealthy("it is bad") : Verdict.HEALTHY);
        pool.register(KEY, host.snapshot("s"));
        await().until(() -> host.provider.pooled().size() == 3);
        List<VmId> first = host.provider.pooled().stream().map(PooledVm::id).toList();
        bad.addAll(first.subList(0, 2));
        try (WarmVm warm = pool.acquire(KEY, ANYBODY, soon())) {
            assertThat(bad).doesNotContain(warm.id());
        }
        await().until(() -> bad.stream().allMatch(id -> host.provider.get(id).isEmpty()));
        await().until(() -> pool.metrics().validationFailures() >= 2);
        assertThat(of(pool, KEY).evictions()).containsEntry(Eviction.VALIDATION, 2L);
    }

    @Test
    void returnsNothingWhenAllAreRejected() {
        AtomicInteger asked = new AtomicInteger();
        WarmPool pool = open(
                QUIET.withDepth(DepthPolicy.of(2)),
                vm -> asked.incrementAndGet() <= 2 ? Verdict.HEALTHY : new Verdict.Unhealthy("no more"));
        pool.register(KEY, host.snapshot("s"));
        awaitDepth(pool, KEY, 2);
        // What has crashed is not handed out, however recent its verdict.
        host.provider.pooled().forEach(vm -> host.provider.crash(vm.id()));
        await().until(() -> host.provider.pooled().stream().noneMatch(vm -> vm.stage() == PooledVm.Stage.SHELVED));
        assertThat(take(pool, KEY)).isEmpty();
        assertThat(of(pool, KEY).evictions()).containsEntry(Eviction.VALIDATION, 2L);
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
    void unregisteringDestroysThatKeysEntriesAndNoOthers() {
        WarmPool pool = open(QUIET.withDepth(DepthPolicy.of(2)));
        StackKey other = key("other");
        SnapshotRef snapshot = host.snapshot("s");
        pool.register(KEY, snapshot);
        pool.register(other, snapshot);
        awaitDepth(pool, KEY, 2);
        awaitDepth(pool, other, 2);
        pool.unregister(KEY);
        assertThat(take(pool, KEY)).isEmpty();
        assertThatThrownBy(() -> pool.acquire(KEY, ANYBODY, soon())).isInstanceOf(PoolException.UnknownKey.class);
        await().until(() -> host.vms() == 2);
        assertThat(of(pool, other).depth()).isEqualTo(2);
        assertThat(pool.metrics().evicted()).isEqualTo(2);
        assertThat(take(pool, other)).isPresent();
    }

    @Test
    void unregisteringAnUnknownKeyDoesNothing() {
        WarmPool pool = open(QUIET);
        pool.unregister(key("nobody"));
        assertThat(take(pool, key("nobody"))).isEmpty();
        assertThat(pool.metrics().evicted()).isZero();
    }

    @Test
    void registeringAgainReplacesTheSnapshotWithoutAnEmptyMoment() {
        WarmPool pool = open(QUIET.withDepth(DepthPolicy.of(2)));
        SnapshotRef old = host.snapshot("old");
        SnapshotRef current = host.snapshot("current");
        pool.register(KEY, old);
        awaitDepth(pool, KEY, 2);
        Set<Integer> depths = new HashSet<>();
        pool.register(KEY, current);
        await().pollInterval(Duration.ofMillis(1)).until(() -> {
            depths.add(of(pool, KEY).depth());
            return of(pool, KEY).evictions().getOrDefault(Eviction.REPLACED, 0L) == 2
                    && of(pool, KEY).inFlight() == 0;
        });
        assertThat(depths).doesNotContain(0);
        for (int i = 0; i < 2; i++) {
            try (WarmVm warm = pool.acquire(KEY, ANYBODY, soon())) {
                assertThat(warm.sourceSnapshot()).contains(current);
            }
        }
    }

    @Test
    void keysThatDifferInOnePartAreDifferent() {
        WarmPool pool = open(QUIET.withDepth(DepthPolicy.of(1)));
        SnapshotRef snapshot = host.snapshot("s");
        StackKey a = new StackKey("a/b", "c", 1, 256);
        StackKey b = new StackKey("a", "b/c", 1, 256);
        pool.register(a, snapshot);
        pool.register(b, snapshot);
        awaitDepth(pool, a, 1);
        awaitDepth(pool, b, 1);
        try (WarmVm one = pool.acquire(a, ANYBODY, soon())) {
            assertThat(one.key()).isEqualTo(a);
        }
        assertThat(of(pool, b).acquired()).isZero();
    }

    @Test
    void aSnapshotOfAnotherSizeIsRefused() {
        WarmPool pool = open(QUIET);
        SnapshotRef snapshot = host.snapshot("s");
        assertThatThrownBy(() -> pool.register(new StackKey("a", "1", 2, 256), snapshot))
                .isInstanceOf(PoolException.Invalid.class);
        assertThatThrownBy(() -> pool.register(new StackKey("a", "1", 1, 512), snapshot))
                .isInstanceOf(PoolException.Invalid.class);
    }

    @Test
    void hostileNamesAreHarmless() {
        WarmPool pool = open(QUIET.withDepth(DepthPolicy.of(1)));
        SnapshotRef snapshot = host.snapshot("s");
        List<StackKey> keys = List.of(
                key("../../etc/passwd"), key("a b\n\0\"';$(reboot)"), key("%2e%2e%2f"), key("ä".repeat(128)), key(" "));
        keys.forEach(hostile -> pool.register(hostile, snapshot));
        for (StackKey hostile : keys) {
            awaitDepth(pool, hostile, 1);
            try (WarmVm warm = pool.acquire(hostile, ANYBODY, soon())) {
                assertThat(warm.key()).isEqualTo(hostile);
            }
        }
    }

    @Test
    void closingDestroysEverythingAndEndsTheWaiting() throws Exception {
        WarmPool pool = open(QUIET);
        pool.register(KEY, host.snapshot("s"));
        awaitDepth(pool, KEY, 4);
        SnapshotRef another = host.snapshot("t");
        host.faults.hangBoots(1000);
        StackKey hanging = key("hanging");
        pool.register(hanging, another);
        try (ExecutorService one = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<WarmVm> waiting = one.submit(() -> pool.acquire(hanging, ANYBODY, soon()));
            await().until(() -> of(pool, hanging).waiters() == 1);
            pool.close();
            assertThatThrownBy(waiting::get).hasCauseInstanceOf(PoolException.Closed.class);
        }
        pool.close();
        await().until(() -> host.vms() == 0);
        assertThatThrownBy(() -> pool.acquire(KEY, ANYBODY, soon())).isInstanceOf(PoolException.Closed.class);
        assertThatThrownBy(() -> pool.register(KEY, another)).isInstanceOf(PoolException.Closed.class);
        assertThat(pool.metrics().evicted()).isGreaterThanOrEqualTo(4);
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
    void whoWaitsGetsTheRestoreInFlightFirstComeFirstServed() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        WarmPool pool = open(
                QUIET.withDepth(DepthPolicy.of(1))
                        .withParallelRestores(1)
                        .withChecks(Duration.ofSeconds(20), Duration.ofHours(1)),
                vm -> {
                    waitFor(go);
                    return Verdict.HEALTHY;
                });
        pool.register(KEY, host.snapshot("s"));
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
                            return ANYBODY.identity();
                        }
                    };
                    try (WarmVm warm = pool.acquire(KEY, noted, soon())) {
                        assertThat(warm.kind()).isEqualTo(StartKind.RESTORED);
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
        WarmPool pool =
                open(QUIET.withDepth(DepthPolicy.of(1)).withChecks(Duration.ofSeconds(20), Duration.ofHours(1)), vm -> {
                    waitFor(go);
                    return Verdict.HEALTHY;
                });
        pool.register(KEY, host.snapshot("s"));
        assertThatThrownBy(() -> pool.acquire(KEY, ANYBODY, Deadline.after(Duration.ofMillis(50))))
                .isInstanceOf(PoolException.Late.class);
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread waiting = Thread.ofPlatform().start(() -> {
            try {
                pool.acquire(KEY, ANYBODY, soon()).close();
            } catch (PoolException.Interrupted e) {
                failure.complete(Thread.currentThread().isInterrupted() ? e : new AssertionError("not interrupted"));
            }
        });
        await().until(() -> of(pool, KEY).waiters() == 1);
        waiting.interrupt();
        assertThat(failure.get(10, TimeUnit.SECONDS)).isInstanceOf(PoolException.Interrupted.class);
        assertThat(of(pool, KEY).waiters()).isZero();
        go.countDown();
        awaitDepth(pool, KEY, 1);
        await().until(() -> host.vms() == 1);
    }

    @Test
    void failuresAreCountedAndToldAndARecoveryToo() {
        WarmPool pool = open(QUIET.withDepth(DepthPolicy.of(1)));
        host.faults.failRestores(4);
        pool.register(KEY, host.snapshot("s"));
        awaitDepth(pool, KEY, 1);
        assertThat(of(pool, KEY).failures()).containsEntry("vm.snapshot-mismatch", 4L);
        assertThat(of(pool, KEY).lastError()).isPresent();
        assertThat(of(pool, KEY).stalled()).isFalse();
        assertThat(events).filteredOn(PoolEvent.Stalled.class::isInstance).hasSize(1);
        assertThat(events).filteredOn(PoolEvent.Recovered.class::isInstance).hasSize(1);
        await().until(() -> host.vms() == 1);
    }

    @Test
    void whoCannotBeRestoredIsToldOnceTheBreakerIsOpen() {
        WarmPool pool = open(QUIET.withRetry(new PoolConfig.Retry(Duration.ofMillis(5), Duration.ofHours(1), 2)));
        host.faults.failRestores(Integer.MAX_VALUE);
        pool.register(KEY, host.snapshot("s"));
        assertThatThrownBy(() -> pool.acquire(KEY, ANYBODY, soon())).isInstanceOf(PoolException.NotRestored.class);
    }

    @Test
    void whoCannotBeRestoredIsBootedWhereThatIsTheWay() {
        WarmPool pool = open(QUIET);
        host.faults.failRestores(Integer.MAX_VALUE);
        pool.register(
                KEY, Registration.of(host.snapshot("s")).withCold(id -> VmSpec.of(id, RootDisk.raw(Path.of("/disk")))));
        try (WarmVm cold = pool.acquire(KEY, ANYBODY, soon())) {
            assertThat(cold.kind()).isEqualTo(StartKind.COLD);
            assertThat(cold.sourceSnapshot()).isEmpty();
        }
    }

    @Test
    void aHangingRestoreDelaysNoOtherKey() {
        WarmPool pool = open(QUIET.withDepth(DepthPolicy.of(1))
                .withParallelRestores(1)
                .withRestoreWithin(Duration.ofSeconds(30), Duration.ofMillis(30)));
        CountDownLatch begun = new CountDownLatch(1);
        StackKey slow = key("slow");
        host.faults.hangBoots(1000);
        SnapshotRef snapshot = slowSnapshot();
        pool.register(slow, snapshot);
        await().until(() ->
                of(pool, slow).inFlight() == 1 || of(pool, slow).lastError().isPresent());
        begun.countDown();
        host.faults.hangBoots(0);
        pool.register(KEY, snapshot);
        awaitDepth(pool, KEY, 1);
    }

    private SnapshotRef slowSnapshot() {
        host.faults.hangBoots(0);
        SnapshotRef snapshot = host.snapshot("slow");
        host.faults.hangBoots(1000);
        return snapshot;
    }

    @Test
    void aValidatorThatHangsCostsItsDeadlineAndTheEntry() {
        Set<VmId> hanging = ConcurrentHashMap.newKeySet();
        WarmPool pool =
                open(QUIET.withDepth(DepthPolicy.of(2)).withChecks(Duration.ofMillis(30), Duration.ofNanos(1)), vm -> {
                    if (hanging.contains(vm)) {
                        waitFor(new CountDownLatch(1));
                    }
                    return Verdict.HEALTHY;
                });
        pool.register(KEY, host.snapshot("s"));
        await().until(() -> host.provider.pooled().size() == 2);
        hanging.add(host.provider.pooled().getFirst().id());
        try (WarmVm warm = pool.acquire(KEY, ANYBODY, soon())) {
            assertThat(hanging).doesNotContain(warm.id());
        }
    }

    @Test
    void anAcquirersOwnFailureIsThrownOn() {
        WarmPool pool = open(QUIET.withDepth(DepthPolicy.of(1)));
        pool.register(KEY, host.snapshot("s"));
        awaitDepth(pool, KEY, 1);
        VmId entry = host.provider.pooled().getFirst().id();
        HandOff refusing = new HandOff() {
            @Override
            public void chosen(VmId vm) {
                throw new IllegalStateException("no room in my books");
            }

            @Override
            public GuestIdentity identity() {
                return ANYBODY.identity();
            }
        };
        assertThatThrownBy(() -> pool.acquire(KEY, refusing, soon())).hasMessage("no room in my books");
        // Before the claim the entry is as good as it was.
        try (WarmVm same = pool.acquire(KEY, ANYBODY, soon())) {
            assertThat(same.id()).isEqualTo(entry);
        }
        assertThatThrownBy(() -> pool.acquire(KEY, () -> GuestIdentity.UNCHANGED, soon()))
                .isInstanceOf(InvalidVmSpecException.class);
        assertThatThrownBy(() -> pool.acquire(
                        KEY,
                        () -> {
                            throw new IllegalStateException("no identity");
                        },
                        soon()))
                .hasMessage("no identity");
        awaitDepth(pool, KEY, 1);
        await().until(() -> host.vms() == 1);
    }

    @Test
    void whatCannotBeDestroyedIsTriedAgain() {
        WarmPool pool = open(QUIET.withDepth(DepthPolicy.of(2)));
        pool.register(KEY, host.snapshot("s"));
        awaitDepth(pool, KEY, 2);
        host.faults.failDestroys(3);
        pool.unregister(KEY);
        await().until(() -> host.vms() == 0);
        await().until(() -> pool.metrics().quarantined() == 0);
        assertThat(events).filteredOn(PoolEvent.Quarantined.class::isInstance).hasSize(3);
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

    @Test
    void theNextRuntimeAdoptsWhatThisOneLeaves() {
        SnapshotRef snapshot = host.snapshot("s");
        WarmPool first = open(QUIET.withAtClose(PoolConfig.AtClose.LEAVE));
        first.register(KEY, snapshot);
        awaitDepth(first, KEY, 4);
        first.close();
        Set<VmId> left = new HashSet<>();
        host.provider.pooled().forEach(vm -> left.add(vm.id()));
        assertThat(left).hasSize(4);

        WarmPool second = open(QUIET);
        second.register(KEY, snapshot);
        awaitDepth(second, KEY, 4);
        assertThat(second.metrics().adopted()).isEqualTo(4);
        assertThat(second.metrics().created()).isZero();
        try (WarmVm warm = second.acquire(KEY, ANYBODY, soon())) {
            assertThat(left).contains(warm.id());
            assertThat(warm.kind()).isEqualTo(StartKind.WARM);
        }
    }

    @Test
    void twoRuntimesNeverShareAnEntry() {
        SnapshotRef snapshot = host.snapshot("s");
        PoolConfig config = QUIET.withRefillInterval(Duration.ofMillis(10))
                .withDepth(DepthPolicy.of(2))
                .withAtClose(PoolConfig.AtClose.LEAVE);
        WarmPool first = open(config);
        try (WarmPool second = WarmPool.start(host.provider, config)) {
            first.register(KEY, snapshot);
            second.register(KEY, snapshot);
            Set<VmId> seen = new HashSet<>();
            for (int i = 0; i < 10; i++) {
                for (WarmPool pool : List.of(first, second)) {
                    try (WarmVm warm = pool.acquire(KEY, ANYBODY, soon())) {
                        assertThat(seen.add(warm.id())).isTrue();
                    }
                }
            }
        }
    }

    @Test
    void whatAKilledRuntimeLeftIsReclaimedOrAdopted() {
        SnapshotRef snapshot = host.snapshot("s");
        PoolSlot slot = new PoolSlot(KEY.label(), Duration.ofMinutes(10));
        // Killed over a restore, just after shelving, and with an entry that its guard ended since.
        Vm open = host.provider.create(VmSpec.restored(VmId.random(), snapshot), slot);
        open.prepare(soon());
        open.close();
        Vm shelved = host.provider.create(VmSpec.restored(VmId.random(), snapshot), slot);
        shelved.prepare(soon());
        shelved.shelve();
        shelved.close();
        Vm retired = host.provider.create(VmSpec.restored(VmId.random(), snapshot), slot);
        retired.prepare(soon());
        retired.shelve();
        retired.close();
        assertThat(host.provider.retire(retired.id())).isTrue();

        WarmPool pool = open(QUIET.withDepth(DepthPolicy.of(1)));
        pool.register(KEY, snapshot);
        awaitDepth(pool, KEY, 1);
        await().until(() -> host.vms() == 1);
        assertThat(host.provider.list().getFirst().id()).isEqualTo(shelved.id());
    }
}
