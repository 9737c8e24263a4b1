package dev.cloche.pool;

import static dev.cloche.pool.Host.HANDOFF;
import static dev.cloche.pool.Host.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.vm.PooledVm;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmState;
import dev.cloche.vm.testing.InMemoryFaults;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A VM that is asked for before its acquirer is ready for it. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AcquisitionTest extends WarmPoolFixture {
    private WarmPool filled(int count) {
        WarmPool pool = open(depth(DepthPolicy.of(count)));
        register(pool, KEY, host.snapshot("s"));
        awaitDepth(pool, KEY, count);
        return pool;
    }

    private boolean isFree(VmId entry) {
        try {
            host.provider.adopt(entry, soon()).close();
            return true;
        } catch (VmException.Busy adopted) {
            return false;
        }
    }

    private VmId only() {
        return host.provider.pooled().getFirst().id();
    }

    /** What is wanted as soon as an entry is leased must not lie before it. */
    private CountDownLatch holdRestores() {
        CountDownLatch go = new CountDownLatch(1);
        host.faults.before(InMemoryFaults.Step.START, () -> waitFor(go));
        return go;
    }

    @Test
    void whatIsReadyIsAdoptedAtOnceAndHandedOverWhenItIsTaken() {
        WarmPool pool = filled(1);
        VmId entry = only();
        CountDownLatch go = holdRestores();
        Acquisition asked = pool.ask(KEY, soon());
        assertThat(asked.key()).isEqualTo(KEY);
        assertThat(isFree(entry)).isFalse();
        assertThat(host.provider.pooled())
                .filteredOn(vm -> vm.id().equals(entry))
                .extracting(PooledVm::stage)
                .containsExactly(PooledVm.Stage.SHELVED);
        try (WarmVm warm = asked.take(HANDOFF, soon())) {
            assertThat(warm.id()).isEqualTo(entry);
            assertThat(warm.kind()).isEqualTo(PoolStartKind.WARM);
            assertThatThrownBy(() -> asked.take(HANDOFF, soon())).isInstanceOf(PoolException.Taken.class);
            asked.close();
            assertThat(host.provider.get(entry).orElseThrow().state()).isEqualTo(VmState.RUNNING);
        }
        go.countDown();
        assertThat(pool.metrics().acquired()).isEqualTo(1);
        awaitDepth(pool, KEY, 1);
    }

    @Test
    void whatIsNotTakenIsForOthersAgain() {
        WarmPool pool = filled(1);
        VmId entry = only();
        CountDownLatch go = holdRestores();
        Acquisition asked = pool.ask(KEY, soon());
        asked.close();
        assertThat(isFree(entry)).isTrue();
        assertThatThrownBy(() -> asked.take(HANDOFF, soon())).isInstanceOf(PoolException.Taken.class);
        try (WarmVm same = pool.acquire(KEY, HANDOFF, soon())) {
            assertThat(same.id()).isEqualTo(entry);
        }
        go.countDown();
        assertThat(pool.metrics().evicted()).isZero();
    }

    @Test
    void whoAskedFirstIsServedFirstAlsoIfItTakesLater() {
        SnapshotRef snapshot = host.snapshot("s");
        CountDownLatch go = holdRestores();
        WarmPool pool = open(depth(DepthPolicy.of(1)));
        register(pool, KEY, snapshot);
        Acquisition first = pool.ask(KEY, soon());
        Acquisition given = pool.ask(KEY, soon());
        Acquisition last = pool.ask(KEY, soon());
        given.close();
        go.countDown();
        try (WarmVm later = last.take(HANDOFF, soon());
                WarmVm earlier = first.take(HANDOFF, soon())) {
            assertThat(earlier.id()).isNotEqualTo(later.id());
        }
        assertThat(events.stream()
                        .filter(event -> event instanceof PoolEvent.Acquired)
                        .count())
                .isEqualTo(2);
    }

    @Test
    void whatHasEndedMeanwhileIsPassedOverAndNotKept() {
        WarmPool pool = filled(2);
        CountDownLatch go = holdRestores();
        List<VmId> entries = host.provider.pooled().stream().map(PooledVm::id).toList();
        entries.forEach(host.provider::crash);
        pool.ask(KEY, soon()).close();
        assertThat(of(pool, KEY).evictions()).containsEntry(Eviction.ENDED, 1L);
        try (Acquisition asked = pool.ask(KEY, soon())) {
            go.countDown();
            try (WarmVm warm = asked.take(HANDOFF, soon())) {
                assertThat(entries).doesNotContain(warm.id());
            }
        }
        assertThat(of(pool, KEY).evictions()).containsEntry(Eviction.ENDED, 2L);
    }

    @Test
    void anInterruptEndsTheAdoptionAndLeavesTheVm() {
        WarmPool pool = filled(1);
        VmId entry = only();
        host.faults.before(InMemoryFaults.Step.ADOPT, () -> {
            if (Thread.currentThread().isInterrupted()) {
                throw new VmException.Interrupted("the adoption");
            }
        });
        Thread.currentThread().interrupt();
        try (Acquisition asked = pool.ask(KEY, soon())) {
            assertThat(Thread.interrupted()).isTrue();
            assertThatThrownBy(() -> asked.take(HANDOFF, soon())).isInstanceOf(VmException.Interrupted.class);
        }
        assertThat(isFree(entry)).isTrue();
        assertThat(pool.metrics().evicted()).isZero();
    }

    @Test
    void anErrorOfTheAdoptionIsThrownWhenItIsTaken() {
        WarmPool pool = filled(1);
        VmId entry = only();
        CountDownLatch go = holdRestores();
        host.faults.before(InMemoryFaults.Step.ADOPT, () -> {
            throw new LinkageError("no such class");
        });
        pool.ask(KEY, soon()).close();
        try (Acquisition asked = pool.ask(KEY, soon())) {
            assertThatThrownBy(() -> asked.take(HANDOFF, soon())).isInstanceOf(LinkageError.class);
        }
        host.faults.atOnce(InMemoryFaults.Step.ADOPT);
        try (WarmVm same = pool.acquire(KEY, HANDOFF, soon())) {
            assertThat(same.id()).isEqualTo(entry);
        }
        go.countDown();
    }

    @Test
    void whereNothingIsKeptNothingIsAskedFor() {
        WarmPool pool = filled(1);
        assertThatThrownBy(() -> pool.ask(Host.key("another"), soon())).isInstanceOf(PoolException.UnknownKey.class);
        pool.close();
        assertThatThrownBy(() -> pool.ask(KEY, soon())).isInstanceOf(PoolException.Closed.class);
    }
}
