package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.cloche.linux.BootTime;
import dev.cloche.sandbox.SandboxPolicies.OnDeadline;
import dev.cloche.sandbox.lifecycle.SandboxTerminator;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmHindrance;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What the owner of a sandbox does at its deadline, and when it is idle. */
class OnDeadlineTest extends OnTestHost {
    private static final String NAME = "limited";
    private static final Duration HOUR = Duration.ofHours(1);
    /** A sweep comes to its end however busy the machine is. */
    private static final MaintenanceLimits CALM =
            MaintenanceLimits.defaults().withLease(Duration.ofMinutes(2)).withBudget(Duration.ofMinutes(1));

    private static final SandboxPolicies SUSPENDS = SandboxPolicies.none().withOnDeadline(OnDeadline.SUSPEND);

    private static SandboxSpec spec(SandboxPolicies policies) {
        return TestHost.named(NAME, "sleep", "1000").withPolicies(policies);
    }

    private void awaitSuspended() {
        assertThat(sandboxes.await(NAME, EnumSet.of(SandboxStatus.SUSPENDED, SandboxStatus.STOPPED), TestHost.soon()))
                .hasValueSatisfying(reached -> assertThat(reached.status()).isEqualTo(SandboxStatus.SUSPENDED));
    }

    private Duration left() {
        return host.row(NAME)
                .flatMap(SandboxRecord::latestRun)
                .flatMap(RunRecord::deadline)
                .map(until -> until.minus(BootTime.now()))
                .orElseThrow();
    }

    @Test
    void itsOwnerSuspendsItAndItHasItsLongestDurationOnceMore() {
        RunningSandbox sandbox = host.start(spec(SUSPENDS.withMaxDuration(HOUR)));
        sandboxes.deadline(sandbox.id(), Instant.now().plusSeconds(2));
        awaitSuspended();
        sandbox.close();
        assertThat(host.here.store().suspension(host.id(NAME)).orElseThrow().timeLeft())
                .contains(HOUR);
        sandboxes.resume(NAME, TestHost.soon());
        assertThat(left()).isBetween(HOUR.minus(Duration.ofMinutes(10)), HOUR);
    }

    @Test
    void whoClosesItBeforeItsVmHasEndedLosesNothing() {
        RunningSandbox sandbox = host.start(spec(SUSPENDS.withMaxDuration(HOUR)));
        host.vms.beforeNext(ScriptedVms.Step.SUSPENDED, _ -> sandbox.close());
        sandboxes.suspend(NAME, TestHost.soon());
        assertThat(sandboxes.get(NAME).status()).isEqualTo(SandboxStatus.SUSPENDED);
        assertThat(host.here.store().suspension(host.id(NAME))).isPresent();
        assertThat(host.vms.memory.list()).noneMatch(vm -> vm.state().live());
        assertThatThrownBy(() -> TestHost.exec(sandbox, "true")).isInstanceOf(SandboxException.Suspended.class);
        sandboxes.resume(NAME, TestHost.soon());
        assertThat(sandboxes.get(NAME).status()).isEqualTo(SandboxStatus.RUNNING);
    }

    @Test
    void theLongestDurationIsEnoughForIt() {
        RunningSandbox sandbox = host.start(spec(SUSPENDS.withMaxDuration(Duration.ofSeconds(8))));
        awaitSuspended();
        sandbox.close();
    }

    @Test
    void aKeeperLearnsOfADeadlineThatAnotherProcessSets() {
        sandboxes.keep();
        long id = host.startDetached(spec(SUSPENDS.withMaxDuration(HOUR))).id();
        try (TestHost.Opened other = host.runtime()) {
            other.sandboxes().deadline(id, Instant.now().plusSeconds(2));
        }
        awaitSuspended();
        assertThat(host.row(NAME).flatMap(SandboxRecord::latestRun).flatMap(RunRecord::termination))
                .isEmpty();
    }

    @Test
    void oneWithoutALongestDurationHasNoDeadlineWhenItGoesOn() {
        sandboxes.keep();
        long id = host.startDetached(spec(SUSPENDS)).id();
        sandboxes.deadline(id, Instant.now().plusSeconds(2));
        awaitSuspended();
        sandboxes.resume(NAME, TestHost.soon());
        assertThat(sandboxes.deadline(sandboxes.get(id))).isEmpty();
    }

    private void awaitHeld() {
        Awaitility.await().until(() -> sandboxes.hindrance(sandboxes.get(NAME)).equals(Optional.of(VmHindrance.HELD)));
    }

    @Test
    void withoutAnOwnerItsGuardHoldsItAndASweepSuspendsIt() {
        long id = host.startDetached(spec(SUSPENDS.withMaxDuration(HOUR))).id();
        TestHost.expire(sandboxes, id);
        awaitHeld();
        assertThatThrownBy(() -> sandboxes.resume(NAME, TestHost.soon())).isInstanceOf(VmException.Hindered.class);
        try (TestHost.Opened other = host.runtime();
                SandboxMaintenance maintenance = other.sandboxes().maintenance(CALM)) {
            assertThat(maintenance.preview())
                    .extracting(MaintenanceStep::sandbox, MaintenanceStep::action)
                    .containsExactly(tuple(NAME, MaintenanceStep.Action.SUSPEND));
            assertThat(maintenance.sweep()).isEqualTo(swept(1, 1, 0));
            assertThat(maintenance.sweep()).isEqualTo(swept(1, 0, 0));
        }
        assertThat(sandboxes.get(NAME).status()).isEqualTo(SandboxStatus.SUSPENDED);
        assertThat(host.here.store().suspension(id).orElseThrow().timeLeft()).contains(HOUR);
    }

    private static MaintenanceReport swept(int examined, int suspended, int errors) {
        return new MaintenanceReport(MaintenanceReport.Outcome.SWEPT, examined, 0, 0, suspended, errors, false);
    }

    @Test
    void oneThatNoSweepCanSuspendResistsAndIsHeld() {
        long id = host.startDetached(spec(SUSPENDS.withMaxDuration(HOUR))).id();
        TestHost.expire(sandboxes, id);
        awaitHeld();
        host.vms.faults.lowDisk(true);
        try (SandboxMaintenance maintenance = sandboxes.maintenance(CALM)) {
            assertThat(maintenance.sweep()).isEqualTo(swept(1, 0, 1));
            assertThat(sandboxes.get(NAME).status()).isEqualTo(SandboxStatus.RUNNING);
            assertThat(sandboxes.hindrance(sandboxes.get(NAME))).contains(VmHindrance.HELD);
            host.vms.faults.lowDisk(false);
            assertThat(maintenance.sweep()).isEqualTo(swept(1, 1, 0));
        }
        assertThat(sandboxes.get(NAME).status()).isEqualTo(SandboxStatus.SUSPENDED);
    }

    @Test
    void oneWhoseGuardIsKilledWhileItIsHeldHasCrashedAndLeavesNoMemory() {
        SandboxRecord held = host.startDetached(spec(SUSPENDS.withMaxDuration(HOUR)));
        TestHost.expire(sandboxes, held.id());
        awaitHeld();
        host.vms.memory.crash(SandboxTerminator.vmOf(held));
        try (SandboxMaintenance maintenance = sandboxes.maintenance(CALM)) {
            assertThat(maintenance.sweep().suspended()).isZero();
        }
        assertThat(host.row(NAME).orElseThrow().status()).isEqualTo(SandboxStatus.CRASHED);
        assertThat(host.termination(NAME).reason()).isEqualTo(TerminationReason.INTERNAL_ERROR);
        assertThat(host.vms.snapshots()).isEmpty();
    }

    @Test
    void oneWhoseSweepIsKilledBeforeItsMemoryCountsIsHeldOnAndSuspendedByALaterOne() {
        long id = host.startDetached(spec(SUSPENDS.withMaxDuration(HOUR))).id();
        TestHost.expire(sandboxes, id);
        awaitHeld();
        // What a process leaves that is killed while it writes the memory.
        assertThat(host.here.store().move(id, SandboxStatus.RUNNING, SandboxStatus.SUSPENDING))
                .isTrue();
        try (SandboxMaintenance maintenance = sandboxes.maintenance(CALM)) {
            assertThat(maintenance.sweep()).isEqualTo(swept(1, 0, 0));
            assertThat(host.row(NAME).orElseThrow().status()).isEqualTo(SandboxStatus.RUNNING);
            assertThat(sandboxes.hindrance(sandboxes.get(NAME))).contains(VmHindrance.HELD);
            assertThat(maintenance.sweep()).isEqualTo(swept(1, 1, 0));
        }
        sandboxes.resume(NAME, TestHost.soon());
        assertThat(sandboxes.hindrance(sandboxes.get(NAME))).isEmpty();
        assertThat(left()).isBetween(HOUR.minus(Duration.ofMinutes(10)), HOUR);
    }

    @Test
    void oneThatIsHeldIsExtendedFromNowOn() {
        long id = host.startDetached(spec(SUSPENDS.withMaxDuration(HOUR))).id();
        TestHost.expire(sandboxes, id);
        awaitHeld();
        sandboxes.extend(id, HOUR);
        assertThat(sandboxes.hindrance(sandboxes.get(id))).isEmpty();
        assertThat(left()).isBetween(HOUR.minus(Duration.ofMinutes(10)), HOUR);
    }

    @Test
    void oneThatCannotBeSuspendedIsHeldUntilItCan() {
        RunningSandbox sandbox = host.start(spec(SUSPENDS.withMaxDuration(HOUR)));
        host.vms.faults.failSnapshots(1);
        sandboxes.deadline(sandbox.id(), Instant.now().plusSeconds(2));
        awaitHeld();
        sandboxes.suspend(NAME, TestHost.soon());
        assertThat(sandboxes.get(NAME).status()).isEqualTo(SandboxStatus.SUSPENDED);
        assertThat(host.here.store().suspension(host.id(NAME)).orElseThrow().timeLeft())
                .contains(HOUR);
        sandbox.close();
    }

    @Test
    void anIdleOneIsSuspendedAndKeepsWhatIsLeft() {
        RunningSandbox sandbox =
                host.start(spec(SUSPENDS.withMaxDuration(HOUR).withIdleTimeout(Duration.ofMillis(50))));
        awaitSuspended();
        sandbox.close();
        Optional<Duration> left =
                host.here.store().suspension(host.id(NAME)).orElseThrow().timeLeft();
        assertThat(left)
                .hasValueSatisfying(time -> assertThat(time).isLessThan(HOUR).isGreaterThan(Duration.ofMinutes(50)));
    }
}
