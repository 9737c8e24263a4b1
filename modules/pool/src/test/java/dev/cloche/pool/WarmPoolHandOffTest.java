package dev.cloche.pool;

import static dev.cloche.pool.Host.HANDOFF;
import static dev.cloche.pool.Host.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmState;
import dev.cloche.vm.testing.InMemoryFaults;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an acquirer gets, and gets to decide. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WarmPoolHandOffTest extends WarmPoolFixture {
    @Test
    void handsOutALiveGuestWithItsIdentityAndItsSnapshot() throws Exception {
        WarmPool pool = open(QUIET);
        SnapshotRef snapshot = host.snapshot("s");
        register(pool, KEY, snapshot);
        awaitDepth(pool, KEY, 4);
        Map<VmId, SnapshotRef> sources = host.sources();
        HandOff handOff = () -> GuestIdentity.fresh("mine", Clock.systemUTC());
        try (WarmVm warm = pool.acquire(KEY, handOff, soon())) {
            assertThat(warm.kind()).isEqualTo(PoolStartKind.WARM);
            assertThat(sources).containsEntry(warm.id(), snapshot);
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
    void aHandleThatWasNotTakenEndsItsVm() {
        WarmPool pool = open(depth(DepthPolicy.of(1)));
        register(pool, KEY, host.snapshot("s"));
        VmId id;
        try (WarmVm warm = pool.acquire(KEY, HANDOFF, soon())) {
            id = warm.id();
        }
        assertThat(host.provider.get(id)).isEmpty();
    }

    @Test
    void neverHandsAVmOutTwice() throws Exception {
        WarmPool pool = open(QUIET);
        register(pool, KEY, host.snapshot("s"));
        Set<VmId> seen = ConcurrentHashMap.newKeySet();
        AtomicInteger handed = new AtomicInteger();
        try (ExecutorService many = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 40; i++) {
                var _ = many.submit(() -> {
                    try (WarmVm warm = pool.acquire(KEY, HANDOFF, soon())) {
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
    void whatHasCrashedIsPassedOverAndTheNextIsHandedOut() throws Exception {
        WarmPool pool = open(depth(DepthPolicy.of(2)));
        register(pool, KEY, host.snapshot("s"));
        awaitDepth(pool, KEY, 2);
        Set<VmId> crashed = new HashSet<>();
        host.provider.pooled().forEach(vm -> {
            crashed.add(vm.id());
            host.provider.crash(vm.id());
        });
        // A successor, which is wanted as soon as one is leased, must not lie before the other.
        CountDownLatch go = new CountDownLatch(1);
        host.faults.before(InMemoryFaults.Step.START, () -> waitFor(go));
        try (ExecutorService one = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<WarmVm> next = one.submit(() -> pool.acquire(KEY, HANDOFF, soon()));
            try {
                await().until(() -> of(pool, KEY).evictions().getOrDefault(Eviction.ENDED, 0L) == 2);
            } finally {
                go.countDown();
            }
            try (WarmVm warm = next.get()) {
                assertThat(crashed).doesNotContain(warm.id());
            }
        }
    }

    @Test
    void anAcquirersOwnFailureIsThrownOn() {
        WarmPool pool = open(depth(DepthPolicy.of(1)));
        register(pool, KEY, host.snapshot("s"));
        awaitDepth(pool, KEY, 1);
        VmId entry = host.provider.pooled().getFirst().id();
        // The entry's successor, which is wanted as soon as it is leased, must not lie before it.
        CountDownLatch go = new CountDownLatch(1);
        host.faults.before(InMemoryFaults.Step.START, () -> waitFor(go));
        HandOff refusing = new HandOff() {
            @Override
            public void chosen(VmId vm) {
                throw new IllegalStateException("no room in my books");
            }

            @Override
            public GuestIdentity identity() {
                return HANDOFF.identity();
            }
        };
        assertThatThrownBy(() -> pool.acquire(KEY, refusing, soon())).hasMessage("no room in my books");
        // Before the claim the entry is as good as it was.
        try (WarmVm same = pool.acquire(KEY, HANDOFF, soon())) {
            assertThat(same.id()).isEqualTo(entry);
        }
        go.countDown();
        assertThatThrownBy(() -> pool.acquire(KEY, () -> GuestIdentity.UNCHANGED, soon()))
                .isInstanceOf(VmException.Invalid.class);
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
    void anAcquirerDoesItsOwnWhileTheGuestTakesItsIdentity() {
        WarmPool pool = open(depth(DepthPolicy.of(1)));
        register(pool, KEY, host.snapshot("s"));
        List<VmState> seen = new ArrayList<>();
        try (WarmVm warm = pool.acquire(
                KEY,
                meanwhile(vm -> seen.add(host.provider.get(vm).orElseThrow().state())),
                soon())) {
            assertThat(warm.id()).isNotNull();
        }
        assertThat(seen).containsExactly(VmState.RUNNING);

        awaitDepth(pool, KEY, 1);
        VmId entry = host.provider.pooled().getFirst().id();
        HandOff failing = meanwhile(_ -> {
            throw new IllegalStateException("no file can be made");
        });
        assertThatThrownBy(() -> pool.acquire(KEY, failing, soon())).hasMessage("no file can be made");
        assertThat(host.provider.get(entry)).isEmpty();
        awaitDepth(pool, KEY, 1);
        await().until(() -> host.vms() == 1);
    }

    private static HandOff meanwhile(Consumer<VmId> what) {
        return new HandOff() {
            @Override
            public GuestIdentity identity() {
                return HANDOFF.identity();
            }

            @Override
            public void meanwhile(VmId vm) {
                what.accept(vm);
            }
        };
    }

    @Test
    void theNewestEntryIsHandedOutFirst() {
        WarmPool pool = open(depth(DepthPolicy.of(1)));
        SnapshotRef snapshot = host.snapshot("s");
        register(pool, KEY, snapshot);
        awaitDepth(pool, KEY, 1);
        VmId older = host.provider.pooled().getFirst().id();
        register(pool, KEY, snapshot, DepthPolicy.of(2));
        awaitDepth(pool, KEY, 2);
        try (WarmVm warm = pool.acquire(KEY, HANDOFF, soon())) {
            assertThat(warm.id()).isNotEqualTo(older);
        }
    }

    @Test
    void aVmIsEndedAfterTheLongestDurationThatItsAcquirerWants() {
        WarmPool pool = open(depth(DepthPolicy.of(1)));
        register(pool, KEY, host.snapshot("s"));
        try (WarmVm warm = pool.acquire(KEY, lasting(Duration.ofMillis(200)), soon());
                Vm vm = warm.take()) {
            assertThat(vm.awaitExit(soon()).cause()).isEqualTo(VmExit.Cause.MAX_DURATION);
            vm.destroy();
        }
        assertThatThrownBy(() -> pool.acquire(KEY, lasting(Duration.ZERO), soon()))
                .isInstanceOf(VmException.Invalid.class);
        awaitDepth(pool, KEY, 1);
        await().until(() -> host.vms() == 1);
    }

    private static HandOff lasting(Duration longest) {
        return new HandOff() {
            @Override
            public Optional<Duration> longest() {
                return Optional.of(longest);
            }

            @Override
            public GuestIdentity identity() {
                return HANDOFF.identity();
            }
        };
    }
}
