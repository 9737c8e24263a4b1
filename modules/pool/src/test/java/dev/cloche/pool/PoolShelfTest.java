package dev.cloche.pool;

import static dev.cloche.pool.Host.HANDOFF;
import static dev.cloche.pool.Host.key;
import static dev.cloche.pool.Host.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.PoolSlot;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.VmState;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Shelves as processes that come and go use them, on VMs in memory. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PoolShelfTest {
    private static final StackKey KEY = key("ours");
    private static final Duration AGE = Duration.ofHours(1);

    private final Host host = new Host();
    private final PoolShelf shelf = new PoolShelf(
            host.provider,
            PoolConfig.DEFAULT,
            PoolConfig.DEFAULT::budget,
            key -> !key.name().equals("theirs"));
    private final List<String> failures = new ArrayList<>();
    private final List<StackKey> made = new ArrayList<>();

    @AfterEach
    void close() {
        host.close();
    }

    private static ShelfTarget target(StackKey key, SnapshotRef snapshot, int depth) {
        return new ShelfTarget(
                key,
                Registration.of(snapshot)
                        .withDepth(DepthPolicy.of(depth))
                        .withMaxAge(AGE)
                        .withOutputLogBytes(1 << 20));
    }

    private SnapshotRef snapshot(String name) {
        return host.loggingSnapshot(name);
    }

    private static PoolShelf.Order order(ShelfTarget... stocks) {
        return new PoolShelf.Order(List.of(stocks), key -> false);
    }

    private void fill(ShelfTarget... stocks) {
        fill(order(stocks));
    }

    private void fill(PoolShelf.Order order) {
        shelf.fill(() -> order, new PoolShelf.FillListener() {
            @Override
            public void made(StackKey key, Duration took) {
                made.add(key);
            }

            @Override
            public void failed(StackKey key, String code, String why) {
                failures.add(code);
            }
        });
    }

    private List<VmId> lying(StackKey key) {
        return shelf.look().stream()
                .filter(entry -> entry.key().equals(key))
                .map(entry -> entry.vm().id())
                .toList();
    }

    private VmId take(HandOff handOff) {
        try (WarmVm warm = shelf.take(KEY, handOff, soon()).orElseThrow()) {
            return warm.id();
        }
    }

    @Test
    void fillsToTheDepthAndNotBeyond() {
        SnapshotRef snapshot = snapshot("s");
        fill(target(KEY, snapshot, 3));
        assertThat(shelf.look()).hasSize(3).allMatch(entry -> entry.vm().stage() == PooledVm.Stage.SHELVED);
        fill(target(KEY, snapshot, 3));
        assertThat(made).hasSize(3);
    }

    @Test
    void thePoorestKeyComesFirst() {
        SnapshotRef snapshot = snapshot("s");
        StackKey other = key("other");
        fill(target(KEY, snapshot, 2), target(other, snapshot, 2));
        assertThat(made).hasSize(4);
        assertThat(made.subList(0, 2)).containsExactlyInAnyOrder(KEY, other);
    }

    @Test
    void handsOverARunningGuestThatNoOtherAcquirerGets() {
        fill(target(KEY, snapshot("s"), 1));
        List<VmId> chosen = new ArrayList<>();
        try (WarmVm warm = shelf.take(KEY, telling(chosen), soon()).orElseThrow()) {
            assertThat(warm.kind()).isEqualTo(PoolStartKind.WARM);
            assertThat(chosen).containsExactly(warm.id());
            assertThat(warm.take().state()).isEqualTo(VmState.RUNNING);
            assertThat(shelf.take(KEY, HANDOFF, soon())).isEmpty();
            assertThat(shelf.look()).isEmpty();
        }
    }

    private static HandOff telling(List<VmId> chosen) {
        return new HandOff() {
            @Override
            public void chosen(VmId vm) {
                chosen.add(vm);
            }

            @Override
            public GuestIdentity identity() {
                return GuestIdentity.fresh("me", Clock.systemUTC());
            }
        };
    }

    @Test
    void aCrashedEntryIsPassedOverAndRemoved() {
        fill(target(KEY, snapshot("s"), 2));
        VmId youngest = lying(KEY).getLast();
        host.provider.crash(youngest);
        assertThat(take(HANDOFF)).isNotEqualTo(youngest);
        shelf.sweep();
        assertThat(host.provider.get(youngest)).isEmpty();
    }

    @Test
    void anAcquirerThatDoesNotWantItAfterAllLeavesItOnTheShelf() {
        fill(target(KEY, snapshot("s"), 1));
        HandOff unwilling = new HandOff() {
            @Override
            public void chosen(VmId vm) {
                throw new IllegalStateException("no");
            }

            @Override
            public GuestIdentity identity() {
                throw new AssertionError("it was refused before");
            }
        };
        assertThatThrownBy(() -> shelf.take(KEY, unwilling, soon())).hasMessage("no");
        assertThat(take(HANDOFF)).isNotNull();
    }

    @Test
    void oneThatCannotTakeItsIdentityIsDestroyedAndThatIsThrown() {
        fill(target(KEY, snapshot("s"), 1));
        assertThatThrownBy(() -> shelf.take(
                        KEY,
                        () -> {
                            throw new IllegalStateException("nobody");
                        },
                        soon()))
                .hasMessage("nobody");
        assertThat(host.vms()).isZero();
    }

    @Test
    void aNewSnapshotRollsThroughWithoutAnEmptyMoment() {
        fill(target(KEY, snapshot("old"), 2));
        List<VmId> before = lying(KEY);
        SnapshotRef next = snapshot("new");
        Set<Integer> depths = new HashSet<>();
        shelf.fill(
                () -> {
                    depths.add(lying(KEY).size());
                    return order(target(KEY, next, 2));
                },
                new PoolShelf.FillListener() {});
        assertThat(depths).isSubsetOf(2, 3);
        assertThat(lying(KEY)).hasSize(2).doesNotContainAnyElementsOf(before);
    }

    @Test
    void whatIsTooManyOrOfNoKeyAnyMoreGoesAndTheRestStays() {
        SnapshotRef snapshot = snapshot("s");
        StackKey kept = key("kept");
        StackKey gone = key("gone");
        fill(target(KEY, snapshot, 3), target(kept, snapshot, 1), target(gone, snapshot, 1));
        fill(new PoolShelf.Order(List.of(target(KEY, snapshot, 1)), kept::equals));
        assertThat(lying(KEY)).hasSize(1);
        assertThat(lying(kept)).hasSize(1);
        assertThat(lying(gone)).isEmpty();
    }

    @Test
    void poolsOfOthersAreLeftAlone() {
        SnapshotRef snapshot = snapshot("s");
        try (Vm theirs = host.provider.create(
                VmSpec.restored(VmId.random(), snapshot),
                new PoolSlot(key("theirs").label(), AGE))) {
            theirs.prepare(soon());
            theirs.shelve();
        }
        fill();
        assertThat(host.provider.pooled()).hasSize(1);
        assertThat(shelf.look()).isEmpty();
    }

    @Test
    void aFailedRestoreEndsItsKeyForThisTimeAndNoOther() {
        SnapshotRef gone = snapshot("gone");
        SnapshotRef good = snapshot("good");
        host.provider.deleteSnapshot(gone.name());
        fill(target(KEY, gone, 2), target(key("other"), good, 2));
        assertThat(failures).containsExactly("vm.snapshot-not-found");
        assertThat(made).hasSize(2);
        assertThat(host.vms()).isEqualTo(2);
    }

    @Test
    void theBudgetOfTheHostIsKept() {
        PoolConfig two = PoolConfigs.from(PoolConfig.DEFAULT).budget(2, 1 << 20).config();
        PoolShelf small = new PoolShelf(host.provider, two, two::budget, key -> true);
        ShelfTarget target = target(KEY, snapshot("s"), 5);
        small.fill(() -> order(target), new PoolShelf.FillListener() {});
        assertThat(host.vms()).isEqualTo(2);
    }

    @Test
    void ofManyTakersNoTwoGetTheSame() throws Exception {
        fill(target(KEY, snapshot("s"), 4));
        Callable<VmId> taker = () ->
                shelf.take(KEY, HANDOFF, soon()).map(WarmVm::take).map(Vm::id).orElseThrow();
        Set<VmId> taken = new HashSet<>();
        try (ExecutorService takers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var each : takers.invokeAll(List.of(taker, taker, taker, taker))) {
                if (each.state() == Future.State.SUCCESS) {
                    assertThat(taken.add(each.resultNow())).isTrue();
                }
            }
        }
        // One that another thread had in hand just then is on its shelf still.
        assertThat(taken.size() + shelf.look().size()).isEqualTo(4);
        assertThat(taken).isNotEmpty();
    }
}
