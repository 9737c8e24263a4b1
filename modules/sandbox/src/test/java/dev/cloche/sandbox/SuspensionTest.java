package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.image.PullListener;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.directory.SandboxDirectory;
import dev.cloche.sandbox.lifecycle.SandboxTerminator;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.testing.InMemoryFaults;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class SuspensionTest extends OnSnapshots {
    private static final String NAME = "web";

    private SandboxRecord startDetached() {
        return sandboxes.startDetached(
                TestHost.named(NAME, "sleep", "1000"), CommandOptions.none(), PullListener.none(), TestHost.soon());
    }

    private SandboxRecord now() {
        return sandboxes.get(NAME);
    }

    private boolean lives() {
        return host.vms
                .get(SandboxTerminator.vmOf(now()))
                .map(VmInfo::state)
                .filter(state -> state.live())
                .isPresent();
    }

    @Test
    void theSameRunGoesOnAndItsMemoryIsLetGoOf() throws IOException {
        SandboxRecord before = startDetached();
        sandboxes.suspend(NAME, TestHost.soon());
        assertThat(now().status()).isEqualTo(SandboxStatus.SUSPENDED);
        assertThat(lives()).isFalse();
        sweep();
        assertThat(host.count("sandbox_snapshot")).isEqualTo(1);

        sandboxes.resume(NAME, TestHost.soon());
        assertThat(now().status()).isEqualTo(SandboxStatus.RUNNING);
        assertThat(now().latestRun().map(RunRecord::id))
                .isEqualTo(before.latestRun().map(RunRecord::id));
        assertThat(now().latestRun().map(RunRecord::vm))
                .isEqualTo(before.latestRun().map(RunRecord::vm));
        try (RunningSandbox sandbox = sandboxes.connect(NAME, TestHost.soon())) {
            assertThat(TestHost.output(TestHost.exec(sandbox, "hostname"))).isEqualTo(NAME + "\n");
        }
        assertNoSnapshotLeft();
    }

    @Test
    void commandsThatAreWaitedForEndWithIt() {
        startDetached();
        try (RunningSandbox sandbox = sandboxes.connect(NAME, TestHost.soon());
                GuestExecution waiting = TestHost.exec(sandbox, "sleep", "1000")) {
            sandboxes.suspend(NAME, TestHost.soon());
            assertThatThrownBy(() -> waiting.await(TestHost.soon()))
                    .isInstanceOfSatisfying(
                            VmException.class,
                            lost -> assertThat(sandbox.ended(lost)).isInstanceOf(SandboxException.Suspended.class));
        }
        assertThatThrownBy(() -> sandboxes.connect(NAME, TestHost.soon()))
                .isInstanceOf(SandboxException.Suspended.class)
                .hasMessageContaining("suspended");
    }

    @Test
    void anAttachedOneIsSuspendedByItsOwner() {
        try (RunningSandbox sandbox = sandboxes.start(
                TestHost.named(NAME, "sleep", "1000").withEphemeral(true), PullListener.none(), TestHost.soon())) {
            sandboxes.suspend(sandbox.id(), TestHost.soon());
        }
        assertThat(now().status()).isEqualTo(SandboxStatus.SUSPENDED);
        assertThat(sandboxes.start(NAME, PullListener.none(), TestHost.soon()).status())
                .isEqualTo(SandboxStatus.RUNNING);
        assertThat(now().latestRun().map(RunRecord::detached)).contains(true);
        sandboxes.kill(NAME, TestHost.soon());
        assertNoSnapshotLeft();
    }

    @Test
    void aPausedOneIsSuspendedAndRunsAfterwards() throws IOException {
        startDetached();
        sandboxes.pause(NAME, TestHost.soon());
        sandboxes.suspend(NAME, TestHost.soon());
        sandboxes.suspend(NAME, TestHost.soon());
        sandboxes.resume(NAME, TestHost.soon());
        assertThat(now().status()).isEqualTo(SandboxStatus.RUNNING);
        try (RunningSandbox sandbox = sandboxes.connect(NAME, TestHost.soon())) {
            assertThat(TestHost.output(TestHost.exec(sandbox, "echo", "here"))).isEqualTo("here\n");
        }
    }

    @Test
    void oneWithADiskGoesOnWithItAndBootsFromItWhenItsMemoryIsGivenUp() {
        sandboxes.startDetached(withDisk(NAME), CommandOptions.none(), PullListener.none(), TestHost.soon());
        try (RunningSandbox sandbox = sandboxes.connect(NAME, TestHost.soon())) {
            write(sandbox, "/tmp/first", "1");
        }
        sandboxes.suspend(NAME, TestHost.soon());
        sandboxes.resume(NAME, TestHost.soon());
        try (RunningSandbox sandbox = sandboxes.connect(NAME, TestHost.soon())) {
            assertThat(read(sandbox, "/tmp/first")).isEqualTo("1");
        }
        sandboxes.suspend(NAME, TestHost.soon());
        sandboxes.stop(NAME, Duration.ZERO, TestHost.soon());
        assertThat(now().status()).isEqualTo(SandboxStatus.STOPPED);
        assertNoSnapshotLeft();
        var _ = sandboxes.start(NAME, PullListener.none(), TestHost.soon());
        assertThat(now().status()).isEqualTo(SandboxStatus.RUNNING);
    }

    @Test
    void oneThatCannotBeSuspendedGoesOn() throws IOException {
        startDetached();
        host.vms.faults.failSnapshots(1);
        assertThatThrownBy(() -> sandboxes.suspend(NAME, TestHost.soon())).isInstanceOf(VmException.class);
        assertThat(now().status()).isEqualTo(SandboxStatus.RUNNING);
        try (RunningSandbox sandbox = sandboxes.connect(NAME, TestHost.soon())) {
            assertThat(TestHost.output(TestHost.exec(sandbox, "echo", "here"))).isEqualTo("here\n");
        }
        assertNoSnapshotLeft();
    }

    /** The owner of a sandbox lets go of it when it has ended, which may be before what suspended it lets go of its memory. */
    @Test
    void aResumeWaitsForWhatHasJustSuspendedIt() throws Exception {
        long id = startDetached().id();
        sandboxes.suspend(NAME, TestHost.soon());
        SandboxDirectory memory =
                files(host.here.store().suspension(id).orElseThrow().snapshot());
        FutureTask<SandboxStatus> resume = new FutureTask<>(() -> {
            sandboxes.resume(NAME, TestHost.soon());
            return now().status();
        });
        try (OwnerLock _ = memory.tryLock().orElseThrow()) {
            startAndAwaitWaiting(resume);
        }
        assertThat(resume.get()).isEqualTo(SandboxStatus.RUNNING);
        assertNoSnapshotLeft();
    }

    @Test
    void oneThatCannotBeLoadedStaysSuspended() {
        startDetached();
        sandboxes.suspend(NAME, TestHost.soon());
        host.vms.faults.before(InMemoryFaults.Step.START, () -> {
            throw new VmException.StartFailed("It does not start", "Try again.", "", null);
        });
        assertThatThrownBy(() -> sandboxes.resume(NAME, TestHost.soon())).isInstanceOf(VmException.StartFailed.class);
        assertThat(now().status()).isEqualTo(SandboxStatus.SUSPENDED);
        host.vms.faults.atOnce(InMemoryFaults.Step.START);
        sandboxes.resume(NAME, TestHost.soon());
        assertThat(now().status()).isEqualTo(SandboxStatus.RUNNING);
    }

    @Test
    void oneWhoseGuestDoesNotGoOnHasLetGoOfItsMemory() {
        startDetached();
        sandboxes.suspend(NAME, TestHost.soon());
        host.vms.faults.before(InMemoryFaults.Step.RESUME, () -> {
            throw new VmException.Monitor("It does not go on", null);
        });
        assertThatThrownBy(() -> sandboxes.resume(NAME, TestHost.soon())).isInstanceOf(VmException.Monitor.class);
        host.vms.faults.atOnce(InMemoryFaults.Step.RESUME);
        assertThat(now().status()).isEqualTo(SandboxStatus.CRASHED);
        assertThat(now().latestRun().flatMap(RunRecord::termination).map(Termination::detail))
                .hasValueSatisfying(detail -> assertThat(detail).contains("had been resumed"));
        sweep();
        assertNoSnapshotLeft();
    }

    @Test
    void aKeeperSuspendsWhatItKeepsAndKeepsItAgain() throws IOException {
        sandboxes.keep();
        startDetached();
        sandboxes.suspend(NAME, TestHost.soon());
        sandboxes.resume(NAME, TestHost.soon());
        sandboxes.suspend(NAME, TestHost.soon());
        assertThat(now().status()).isEqualTo(SandboxStatus.SUSPENDED);
        sandboxes.resume(NAME, TestHost.soon());
        try (RunningSandbox sandbox = sandboxes.connect(NAME, TestHost.soon())) {
            assertThat(TestHost.output(TestHost.exec(sandbox, "echo", "here"))).isEqualTo("here\n");
        }
    }

    @Test
    void itIsASourceOfSnapshotsAndForksAndStaysSuspended() throws IOException {
        SandboxRecord parent = startDetached();
        sandboxes.suspend(NAME, TestHost.soon());
        SandboxSnapshot taken = snapshots.take(NAME, "kept", TestHost.soon());
        assertThat(taken.contents()).isEqualTo(SandboxSnapshot.Contents.MEMORY);
        Forked<SandboxRecord> fork = snapshots.forkDetached(parent.id(), List.of(ChildSpec.unnamed()), TestHost.soon());
        assertThat(fork.children()).extracting(SandboxRecord::status).containsExactly(SandboxStatus.RUNNING);
        sandboxes.kill(fork.children().getFirst().name(), TestHost.soon());
        assertThat(now().status()).isEqualTo(SandboxStatus.SUSPENDED);

        sandboxes.resume(NAME, TestHost.soon());
        sandboxes.remove(NAME, true, TestHost.soon());
        sweep();
        try (RunningSandbox restored = restore("kept")) {
            assertThat(TestHost.output(TestHost.exec(restored, "echo", "here"))).isEqualTo("here\n");
        }
        snapshots.remove("kept");
        assertNoSnapshotLeft();
    }

    @Test
    void aSnapshotOfOneWhoseMemoryIsGoneSaysSo() {
        startDetached();
        sandboxes.suspend(NAME, TestHost.soon());
        host.vms.snapshots().forEach(memory -> host.vms.deleteSnapshot(memory.name()));
        assertThatThrownBy(() -> snapshots.take(NAME, "kept", TestHost.soon()))
                .isInstanceOf(SandboxException.MemoryGone.class);
        assertThat(snapshots.list()).isEmpty();
        assertThat(now().status()).isEqualTo(SandboxStatus.SUSPENDED);
    }

    @Test
    void oneWithADiskIsStartedFromItInANewRun() {
        SandboxRecord before =
                sandboxes.startDetached(withDisk(NAME), CommandOptions.none(), PullListener.none(), TestHost.soon());
        assertThatThrownBy(() -> sandboxes.startFromDisk(NAME, PullListener.none(), TestHost.soon()))
                .isInstanceOf(SandboxException.NotRunning.class);
        sandboxes.suspend(NAME, TestHost.soon());
        SandboxRecord after = sandboxes.startFromDisk(NAME, PullListener.none(), TestHost.soon());
        assertThat(after.status()).isEqualTo(SandboxStatus.RUNNING);
        assertThat(after.latestRun().map(RunRecord::id))
                .isNotEqualTo(before.latestRun().map(RunRecord::id));
        assertNoSnapshotLeft();
    }

    @Test
    void oneWithoutADiskKeepsItsMemoryWhereThatIsToBeGivenUp() {
        startDetached();
        sandboxes.suspend(NAME, TestHost.soon());
        assertThatThrownBy(() -> sandboxes.startFromDisk(NAME, PullListener.none(), TestHost.soon()))
                .isInstanceOf(SandboxException.InvalidSpecification.class)
                .hasMessageContaining("has no disk");
        sandboxes.resume(NAME, TestHost.soon());
        assertThat(now().status()).isEqualTo(SandboxStatus.RUNNING);
    }

    @Test
    void itIsListedRenamedAndRemoved() {
        startDetached();
        sandboxes.suspend(NAME, TestHost.soon());
        sandboxes.rename(NAME, "other");
        assertThat(sandboxes
                        .list(SandboxFilter.all().withStatuses(Set.of(SandboxStatus.SUSPENDED)))
                        .sandboxes())
                .extracting(SandboxRecord::name)
                .containsExactly("other");
        sandboxes.remove("other", false, TestHost.soon());
        assertThat(sandboxes.list()).isEmpty();
        assertNoSnapshotLeft();
    }

    @Test
    void itsLongestDurationStandsStill() {
        SandboxPolicies limited = SandboxPolicies.none().withMaxDuration(Duration.ofHours(1));
        SandboxRecord started = sandboxes.startDetached(
                TestHost.named(NAME, "sleep", "1000").withPolicies(limited),
                CommandOptions.none(),
                PullListener.none(),
                TestHost.soon());
        sandboxes.suspend(NAME, TestHost.soon());
        Optional<Duration> left =
                host.here.store().suspension(started.id()).orElseThrow().timeLeft();
        assertThat(left)
                .hasValueSatisfying(time -> assertThat(time).isPositive().isLessThanOrEqualTo(Duration.ofHours(1)));
        sandboxes.resume(NAME, TestHost.soon());
        assertThat(host.vms.spec(SandboxTerminator.vmOf(now())).orElseThrow().maxDuration())
                .isEqualTo(left);
    }
}
