package dev.cloche.vm.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.PoolSlot;
import dev.cloche.vm.PooledVm;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.VmState;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Says what every provider promises of the entries of warm pools. */
public interface VmPoolContract extends VmSnapshotContract {
    PoolSlot SLOT = new PoolSlot("of the test", Duration.ofMinutes(10));

    default Vm prepared(SnapshotRef snapshot, PoolSlot slot) {
        Vm entry = provider().create(VmSpec.restored(VmId.random(), snapshot), slot);
        entry.prepare(guest -> guest.ping(soon()), soon());
        return entry;
    }

    default VmId shelved(SnapshotRef snapshot, PoolSlot slot) {
        try (Vm entry = prepared(snapshot, slot)) {
            entry.shelve();
            return entry.id();
        }
    }

    @Test
    default void aShelvedVmOutlivesItsHandleAndIsClaimedByItsAdopter() throws IOException {
        SnapshotRef snapshot = template();
        VmId id = shelved(snapshot, SLOT);
        assertThat(provider().pooled()).singleElement().satisfies(entry -> {
            assertThat(entry.id()).isEqualTo(id);
            assertThat(entry.slot()).isEqualTo(SLOT);
            assertThat(entry.stage()).isEqualTo(PooledVm.Stage.SHELVED);
            assertThat(entry.snapshot()).contains(snapshot);
        });
        try (Vm entry = provider().adopt(id, soon())) {
            assertThat(entry.state()).isEqualTo(VmState.PAUSED);
            assertThatThrownBy(() -> provider().adopt(id, soon())).isInstanceOf(VmException.Busy.class);
            assertThat(provider().reclaim(id, soon())).isFalse();
            entry.claim();
            assertThat(provider().pooled()).isEmpty();
            entry.resume(() -> GuestIdentity.fresh("warm", Clock.systemUTC()), soon());
            assertThat(hostname(entry)).isEqualTo("warm");
        }
        // It was attached once it was claimed.
        assertThat(provider().get(id).orElseThrow().state()).isEqualTo(VmState.STOPPED);
        assertThat(provider().reclaim(id, soon())).isFalse();
        provider().destroy(id);
        assertThat(provider().reclaim(id, soon())).isTrue();
    }

    @Test
    default void aShelvedVmIsClaimedAfterOthersHaveLetItGo() throws IOException {
        VmId id = shelved(template(), SLOT);
        for (int i = 0; i < 3; i++) {
            provider().adopt(id, soon()).close();
        }
        List<VmState> meanwhile = new ArrayList<>();
        try (Vm entry = provider().adopt(id, soon())) {
            entry.claim();
            entry.resume(
                    () -> GuestIdentity.fresh("warm", Clock.systemUTC()), () -> meanwhile.add(entry.state()), soon());
            assertThat(hostname(entry)).isEqualTo("warm");
        }
        assertThat(meanwhile).containsExactly(VmState.RUNNING);
    }

    @Test
    default void aClaimedVmIsGivenItsLongestDuration() {
        VmId id = shelved(template(), SLOT);
        try (Vm entry = provider().adopt(id, soon())) {
            entry.claim();
            assertThatThrownBy(() -> entry.limit(Duration.ZERO)).isInstanceOf(VmException.Invalid.class);
            entry.limit(Duration.ofDays(1));
            entry.resume(() -> GuestIdentity.fresh("warm", Clock.systemUTC()), soon());
            try (Vm client = provider().connect(id, soon())) {
                assertThatThrownBy(() -> client.limit(Duration.ofMillis(1))).isInstanceOf(VmException.WrongState.class);
            }
            entry.limit(Duration.ofMillis(200));
            assertThat(entry.awaitExit(soon()).cause()).isEqualTo(VmExit.Cause.MAX_DURATION);
            assertThatThrownBy(() -> entry.limit(Duration.ofDays(1))).isInstanceOf(VmException.WrongState.class);
            entry.destroy();
        }
    }

    @Test
    default void anEntryWithoutAnOwnerIsReclaimed() {
        SnapshotRef snapshot = template();
        VmId shelved = shelved(snapshot, SLOT);
        VmId ended;
        try (Vm entry = prepared(snapshot, SLOT)) {
            ended = entry.id();
            assertThat(provider().pooled())
                    .filteredOn(found -> found.id().equals(entry.id()))
                    .extracting(PooledVm::stage)
                    .containsExactly(PooledVm.Stage.OPEN);
            assertThat(provider().reclaim(entry.id(), soon())).isFalse();
        }
        assertThat(provider().pooled())
                .filteredOn(found -> found.id().equals(ended))
                .extracting(PooledVm::stage)
                .containsExactly(PooledVm.Stage.ENDED);
        assertThat(provider().reclaim(shelved, soon())).isTrue();
        assertThat(provider().reclaim(ended, soon())).isTrue();
        assertThat(provider().list()).isEmpty();
        assertThat(provider().pooled()).isEmpty();
    }

    @Test
    default void anOrphanIsReclaimedAndWhatIsShelvedMeanwhileIsNot() throws IOException {
        SnapshotRef snapshot = template();
        VmId id;
        try (Vm entry = prepared(snapshot, SLOT)) {
            id = entry.id();
            // It has an owner, who is at it.
            assertThat(provider().reclaimOrphan(id, soon())).isFalse();
            entry.shelve();
        }
        // Who looked before it was shelved comes only now.
        assertThat(provider().reclaimOrphan(id, soon())).isFalse();
        try (Vm entry = provider().adopt(id, soon())) {
            entry.claim();
            entry.resume(() -> GuestIdentity.fresh("warm", Clock.systemUTC()), soon());
            assertThat(hostname(entry)).isEqualTo("warm");
        }
        assertThat(provider().reclaimOrphan(id, soon())).isFalse();
        VmId ended;
        try (Vm entry = prepared(snapshot, SLOT)) {
            ended = entry.id();
        }
        assertThat(provider().reclaimOrphan(ended, soon())).isTrue();
        assertThat(provider().get(ended)).isEmpty();
        assertThat(provider().reclaimOrphan(ended, soon())).isTrue();
    }

    @Test
    default void onlyAPreparedVmOfAPoolIsShelvedAndOnlyAShelvedOneClaimed() {
        SnapshotRef snapshot = template();
        try (Vm entry = provider().create(VmSpec.restored(VmId.random(), snapshot), SLOT)) {
            assertThatThrownBy(entry::shelve).isInstanceOf(VmException.WrongState.class);
            entry.prepare(soon());
            assertThatThrownBy(entry::claim).isInstanceOf(VmException.WrongState.class);
            entry.shelve();
            entry.claim();
            assertThatThrownBy(entry::claim).isInstanceOf(VmException.WrongState.class);
        }
        try (Vm stranger = provider().create(VmSpec.restored(VmId.random(), snapshot))) {
            stranger.prepare(soon());
            assertThatThrownBy(stranger::shelve).isInstanceOf(VmException.WrongState.class);
            assertThatThrownBy(stranger::claim).isInstanceOf(VmException.WrongState.class);
            assertThat(provider().pooled()).isEmpty();
            assertThat(provider().reclaim(stranger.id(), soon())).isFalse();
        }
        assertThatThrownBy(() -> provider().create(spec().withAttached(false), SLOT))
                .isInstanceOf(VmException.Invalid.class);
        assertThatThrownBy(() -> provider().create(spec().asTemplateMaker(), SLOT))
                .isInstanceOf(VmException.Invalid.class);
    }
}
