package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.directory.SandboxDirectory;
import dev.cloche.sandbox.lifecycle.SandboxContext;
import dev.cloche.sandbox.record.SnapshotNames;
import dev.cloche.sandbox.record.SnapshotStore;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.Vm;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What becomes of snapshots whose makers died, and the states that they go through. */
class SnapshotSweepTest extends OnSnapshots {
    @Test
    void whatADeadProcessLeftOfASnapshotIsSweptAtEveryStep() {
        SnapshotStore rows = new SnapshotStore(host.here.catalog(), Clock.systemUTC());
        try (RunningSandbox parent = host.start(withDisk("parent"))) {
            SandboxRecord record = host.row("parent").orElseThrow();
            // Recorded, and nothing else.
            var _ = rows.insert(abandoned(record, Optional.of("first")), name -> {});
            // Held and taken, and not recorded as ready.
            long second = rows.insert(abandoned(record, Optional.of("second")), name -> {})
                    .orElseThrow()
                    .id();
            assertThat(host.here
                            .images()
                            .share(
                                    SandboxContext.holder(record.id(), "parent"),
                                    SnapshotNames.holder(second, "parent")))
                    .isTrue();
            Vm vm = parent.ownVm().orElseThrow();
            var _ = vm.snapshot(SnapshotNames.ofVm(second), TestHost.soon());
            // Of a fork, ready.
            long third = rows.insert(abandoned(record, Optional.empty()), name -> {})
                    .orElseThrow()
                    .id();
            var _ = vm.snapshot(SnapshotNames.ofVm(third), TestHost.soon());
            assertThat(rows.ready(third, Optional.of(Duration.ZERO))).isTrue();
            // Whole, with a name: stays.
            var _ = take("parent", "kept");
            // Going.
            long fourth = snapshots.take("parent", "going", TestHost.soon()).id();
            assertThat(rows.doom(fourth)).isTrue();

            assertThatThrownBy(() -> snapshots.get("second")).isInstanceOf(SandboxException.NoSnapshot.class);
            assertThatThrownBy(() -> restore("second")).isInstanceOf(SandboxException.NoSnapshot.class);
            sweep();
            assertThat(snapshots.list()).extracting(SandboxSnapshot::name).containsExactly(Optional.of("kept"));
            assertThat(host.vms.snapshots())
                    .extracting(taken -> taken.name())
                    .containsExactly(
                            new SnapshotName("sandbox-" + snapshots.get("kept").id()));
            snapshots.remove("kept");
            assertNoSnapshotLeft();
        }
    }

    @Test
    void aSnapshotInTheMakingOfALivingProcessIsNotSwept() {
        SnapshotStore rows = new SnapshotStore(host.here.catalog(), Clock.systemUTC());
        try (RunningSandbox parent = host.start(TestHost.ephemeral("parent", "sleep", "1000"))) {
            SandboxRecord record = host.row(parent.name()).orElseThrow();
            String files = rows.insert(abandoned(record, Optional.of("mine")), name -> {})
                    .orElseThrow()
                    .directory();
            Path all = root.resolve("state/sandbox-snapshots");
            try (OwnerLock _ = new SandboxDirectory(all, files).tryLock().orElseThrow()) {
                sweep();
                assertThat(host.count("sandbox_snapshot")).isEqualTo(1);
                assertThatThrownBy(() -> take("parent", "mine")).isInstanceOf(SandboxException.SnapshotExists.class);
            }
            // The name of a dead process's attempt is free.
            assertThat(take("parent", "mine").name()).contains("mine");
            snapshots.remove("mine");
        }
        assertNoSnapshotLeft();
    }

    private static SnapshotStore.NewSnapshot abandoned(SandboxRecord record, Optional<String> name) {
        return new SnapshotStore.NewSnapshot(
                name, SandboxSnapshot.Contents.MEMORY, record, NetworkSpec.none(), Optional.empty());
    }

    @Test
    void theRowsAllowNoWayBack() {
        SnapshotStore rows = new SnapshotStore(host.here.catalog(), Clock.systemUTC());
        try (RunningSandbox parent = host.start(TestHost.ephemeral("parent", "sleep", "1000"))) {
            SandboxRecord record = host.row(parent.name()).orElseThrow();
            long id = rows.insert(abandoned(record, Optional.of("x")), name -> {})
                    .orElseThrow()
                    .id();
            assertThat(rows.ready(id, Optional.empty())).isTrue();
            assertThat(rows.ready(id, Optional.empty())).isFalse();
            assertThat(rows.doom(id)).isTrue();
            assertThat(rows.doom(id)).isFalse();
            assertThat(rows.ready(id, Optional.empty())).isFalse();
            rows.delete(id);
            assertThat(rows.byId(id)).isEmpty();
        }
    }
}
