package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.image.PullListener;
import dev.cloche.vm.VmException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Further starts, restores, forks and what goes on from its memory, on a host without room: refused, unless they wait. */
class RoomWaitTest extends OnSnapshots {
    private static final Duration PATIENT = Duration.ofMinutes(1);

    private SandboxStatus start(Duration waitForRoom) {
        return sandboxes
                .start("one", waitForRoom, PullListener.none(), TestHost.soon())
                .status();
    }

    @Test
    void aFurtherStart() {
        sandboxes.create(
                TestHost.named("one", "sleep", "1000"), CommandOptions.none(), PullListener.none(), TestHost.soon());
        host.vms.faults.full(true);
        assertThatThrownBy(() -> start(Duration.ZERO)).isInstanceOf(VmException.NoRoom.class);
        assertThat(start(PATIENT)).isEqualTo(SandboxStatus.RUNNING);
    }

    @Test
    void aSuspendedOneThatGoesOn() {
        host.startDetached(TestHost.named("one", "sleep", "1000"));
        sandboxes.suspend("one", TestHost.soon());
        host.vms.faults.full(true);
        assertThatThrownBy(() -> start(Duration.ZERO)).isInstanceOf(VmException.NoRoom.class);
        assertThat(sandboxes.get("one").status()).isEqualTo(SandboxStatus.SUSPENDED);
        assertThat(start(PATIENT)).isEqualTo(SandboxStatus.RUNNING);
    }

    @Test
    void aRestoreAndAFork() {
        try (RunningSandbox parent = host.start(withDisk("parent"))) {
            var _ = take("parent", "kept");
            host.vms.faults.full(true);
            List<ChildSpec> children = List.of(ChildSpec.unnamed(), ChildSpec.unnamed());
            List<ChildSpec> patient = children.stream()
                    .map(child -> child.withWaitForRoom(PATIENT))
                    .toList();
            assertThatThrownBy(() -> restore("kept")).isInstanceOf(VmException.NoRoom.class);
            assertThatThrownBy(() -> snapshots.fork(parent.id(), children, TestHost.soon()))
                    .isInstanceOf(VmException.NoRoom.class);
            try (RunningSandbox restored = snapshots.restore("kept", patient.getFirst(), TestHost.soon())) {
                write(restored, "/there", "it is");
                assertThat(read(restored, "/there")).isEqualTo("it is");
            }
            List<RunningSandbox> forked =
                    snapshots.fork(parent.id(), patient, TestHost.soon()).children();
            assertThat(forked).hasSize(2);
            forked.forEach(RunningSandbox::close);
        }
    }

    @Test
    void whereTheDiskIsLowNothingIsCapturedAndTheSandboxRunsOn() {
        try (RunningSandbox parent = host.start(withDisk("parent"))) {
            host.vms.faults.lowDisk(true);
            assertThatThrownBy(() -> take("parent", "kept")).isInstanceOf(VmException.NoRoom.class);
            assertThatThrownBy(() -> snapshots.fork(parent.id(), List.of(ChildSpec.unnamed()), TestHost.soon()))
                    .isInstanceOf(VmException.NoRoom.class);
            assertThatThrownBy(() -> sandboxes.suspend(parent.id(), TestHost.soon()))
                    .isInstanceOf(VmException.NoRoom.class);
            assertThat(sandboxes.get("parent").status()).isEqualTo(SandboxStatus.RUNNING);
            assertNoSnapshotLeft();
        }
    }

    @Test
    void aWaitOfLessThanNothingIsRefused() {
        assertThatThrownBy(() -> start(Duration.ofSeconds(-1)))
                .isInstanceOf(SandboxException.InvalidSpecification.class);
        assertThatThrownBy(() -> ChildSpec.unnamed().withWaitForRoom(Duration.ofSeconds(-1)))
                .isInstanceOf(SandboxException.InvalidSpecification.class);
    }
}
