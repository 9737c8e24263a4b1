package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.linux.ProcessIdentity;
import dev.cloche.sandbox.reconcile.SweepRule;
import dev.cloche.sandbox.reconcile.SweepRule.Owner;
import dev.cloche.sandbox.reconcile.SweepRule.Verdict;
import dev.cloche.sandbox.record.SweepRow;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.Goodbye;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SweepRuleTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final Duration GRACE = Duration.ofSeconds(10);
    private static final Duration START_TIMEOUT = Duration.ofMinutes(30);
    private static final Duration LONG = Duration.ofDays(2);
    private static final VmId VM = new VmId("vm");

    private static final Owner OWNED = new Owner(true, true);
    private static final Owner DEAD = new Owner(false, false);
    private static final Owner LET_GO = new Owner(false, true);
    private static final Optional<VmInfo> NO_TRACE = Optional.empty();

    private final SweepRule rule = new SweepRule(NOW, GRACE);

    @ParameterizedTest
    @EnumSource(
            value = SandboxStatus.class,
            names = {"STOPPED", "CRASHED"})
    void whatHasEndedIsLeftAlone(SandboxStatus status) {
        assertThat(judge(withoutRun(status, LONG), DEAD, NO_TRACE)).isEqualTo(new Verdict.Leave());
    }

    @ParameterizedTest
    @EnumSource(
            value = SandboxStatus.class,
            names = {"STARTING", "RUNNING", "PAUSED", "DRAINING"})
    void whatIsInHandIsLeftAloneInEveryStatus(SandboxStatus status) {
        assertThat(judge(attached(status, LONG), OWNED, NO_TRACE)).isEqualTo(new Verdict.Leave());
        assertThat(judge(withoutRun(status, LONG), OWNED, NO_TRACE)).isEqualTo(new Verdict.Leave());
    }

    @Test
    void anEphemeralSandboxThatIsNotStartedInTimeHasCrashed() {
        assertThat(judge(withoutRun(SandboxStatus.CREATED, START_TIMEOUT.minusMillis(1)), DEAD, NO_TRACE))
                .isEqualTo(new Verdict.Leave());
        assertSettled(
                judge(withoutRun(SandboxStatus.CREATED, START_TIMEOUT), DEAD, NO_TRACE),
                SandboxStatus.CRASHED,
                TerminationReason.INTERNAL_ERROR);
    }

    @Test
    void aPersistentSandboxMayWaitForItsStartForEver() {
        SweepRow row = row(SandboxStatus.CREATED, false, LONG, Optional.empty());
        assertThat(judge(row, DEAD, NO_TRACE)).isEqualTo(new Verdict.Leave());
    }

    @ParameterizedTest
    @EnumSource(
            value = SandboxStatus.class,
            names = {"STARTING", "RUNNING", "PAUSED"})
    void withoutARunItIsLeftAloneWhileYoungAndHasCrashedThen(SandboxStatus status) {
        assertThat(judge(withoutRun(status, START_TIMEOUT.minusMillis(1)), DEAD, NO_TRACE))
                .isEqualTo(new Verdict.Leave());
        assertSettled(
                judge(withoutRun(status, START_TIMEOUT), DEAD, NO_TRACE),
                SandboxStatus.CRASHED,
                TerminationReason.INTERNAL_ERROR);
    }

    @Test
    void withoutARunADrainingSandboxHasReachedItsEnd() {
        assertSettled(
                judge(withoutRun(SandboxStatus.DRAINING, Duration.ZERO), DEAD, NO_TRACE),
                SandboxStatus.STOPPED,
                TerminationReason.SHUTDOWN_REQUESTED);
    }

    @ParameterizedTest
    @EnumSource(
            value = SandboxStatus.class,
            names = {"STARTING", "RUNNING"})
    void aDetachedSandboxThatLivesCanBeAdopted(SandboxStatus status) {
        assertThat(judge(detached(status, LONG), DEAD, live())).isEqualTo(new Verdict.Leave());
    }

    @Test
    void oneThatDrainsIsGoneOnWithOnlyIfNoLivingProcessBringsItsEndAbout() {
        for (SweepRow row : lively(SandboxStatus.DRAINING)) {
            assertThat(rule.judge(row, ownerOf(row), live(), false, Optional.empty()))
                    .isEqualTo(new Verdict.End());
            assertThat(rule.judge(row, ownerOf(row), live(), true, Optional.empty()))
                    .isEqualTo(new Verdict.Leave());
        }
        assertThat(rule.judge(attached(SandboxStatus.DRAINING, LONG), LET_GO, live(), false, Optional.empty()))
                .isEqualTo(new Verdict.End());
    }

    @Test
    void oneThatIsPausedIsHaltedAsLongAsItsVmLives() {
        for (SweepRow row : lively(SandboxStatus.PAUSED)) {
            assertThat(judge(row, ownerOf(row), live())).isEqualTo(new Verdict.Halt());
        }
        assertThat(judge(attached(SandboxStatus.PAUSED, LONG), OWNED, NO_TRACE)).isEqualTo(new Verdict.Leave());
    }

    @ParameterizedTest
    @EnumSource(
            value = SandboxStatus.class,
            names = {"PAUSED", "DRAINING"})
    void whatIsAttachedToADeadProcessIsItsGuardsToEndInEveryStatus(SandboxStatus status) {
        assertThat(judge(attached(status, LONG), DEAD, live())).isEqualTo(new Verdict.Wait());
    }

    @Test
    void aLockOrALivingProcessIsAnOwnerEachByItself() {
        SweepRow row = attached(SandboxStatus.DRAINING, LONG);
        assertThat(judge(row, new Owner(true, false), live())).isEqualTo(new Verdict.End());
        assertThat(judge(row, LET_GO, live())).isEqualTo(new Verdict.End());
        assertThat(judge(row, DEAD, live())).isEqualTo(new Verdict.Wait());
        assertThat(judge(detached(SandboxStatus.DRAINING, LONG), DEAD, live())).isEqualTo(new Verdict.End());
    }

    private static List<SweepRow> lively(SandboxStatus status) {
        return List.of(detached(status, LONG), attached(status, LONG));
    }

    private static Owner ownerOf(SweepRow row) {
        return row.run().orElseThrow().detached() ? DEAD : OWNED;
    }

    @Test
    void anAttachedSandboxWhoseOwnerDiedIsItsGuardsToEndForAWhile() {
        SweepRow row = attached(SandboxStatus.RUNNING, LONG);
        assertThat(judge(row, DEAD, live())).isEqualTo(new Verdict.Wait());
        Instant justBefore = NOW.minus(GRACE).plusMillis(1);
        assertThat(rule.judge(row, DEAD, live(), false, Optional.of(justBefore)))
                .isEqualTo(new Verdict.Wait());
        Verdict late = rule.judge(row, DEAD, live(), false, Optional.of(NOW.minus(GRACE)));
        assertThat(late).isInstanceOfSatisfying(Verdict.Kill.class, kill -> {
            assertThat(kill.termination().reason()).isEqualTo(TerminationReason.INTERNAL_ERROR);
            assertThat(kill.termination().status()).isEqualTo(SandboxStatus.CRASHED);
            assertThat(kill.termination().detail()).contains("attached to is gone");
        });
    }

    @Test
    void anEndThatWasAskedForStaysOneAlsoIfTheSweepHasToBringItAbout() {
        Verdict verdict =
                rule.judge(attached(SandboxStatus.DRAINING, LONG), DEAD, live(), false, Optional.of(NOW.minus(GRACE)));
        assertThat(verdict)
                .isInstanceOfSatisfying(
                        Verdict.Kill.class,
                        kill -> assertThat(kill.termination().status()).isEqualTo(SandboxStatus.STOPPED));
    }

    @Test
    void anAttachedSandboxOfALivingProcessIsLeftAloneWhileItsVmLives() {
        SweepRow row = attached(SandboxStatus.RUNNING, LONG);
        assertThat(rule.judge(row, LET_GO, live(), false, Optional.of(NOW.minus(LONG))))
                .isEqualTo(new Verdict.Leave());
    }

    @Test
    void aDeadVmEndedAsItsGuardSays() {
        assertSettled(
                judge(detached(SandboxStatus.RUNNING, Duration.ZERO), DEAD, ended(VmExit.Cause.MAX_DURATION)),
                SandboxStatus.STOPPED,
                TerminationReason.MAX_DURATION_EXCEEDED);
        assertSettled(
                judge(attached(SandboxStatus.RUNNING, Duration.ZERO), DEAD, ended(VmExit.Cause.OWNER_GONE)),
                SandboxStatus.CRASHED,
                TerminationReason.INTERNAL_ERROR);
    }

    @Test
    void theMainCommandsExitCodeIsFoundAlsoIfNoProcessWatched() {
        VmExit exit = new VmExit(
                VmExit.Cause.EXITED,
                Optional.of(new Goodbye(Goodbye.Reason.MAIN_ENDED, Optional.of(new ExitStatus.Exited(3)))),
                OptionalInt.of(0),
                OptionalInt.empty(),
                NOW,
                NOW);
        Optional<VmInfo> vm = Optional.of(new VmInfo(VM, VmState.STOPPED, Optional.empty(), Optional.of(exit)));
        assertThat(judge(detached(SandboxStatus.RUNNING, LONG), DEAD, vm))
                .isInstanceOfSatisfying(Verdict.Settle.class, settle -> {
                    assertThat(settle.termination().reason()).isEqualTo(TerminationReason.FAILED);
                    assertThat(settle.termination().exitCode()).hasValue(3);
                });
    }

    @ParameterizedTest
    @EnumSource(
            value = SandboxStatus.class,
            names = {"RUNNING", "PAUSED"})
    void aVmThatIsGoneWithoutATraceHasCrashed(SandboxStatus status) {
        assertSettled(
                judge(attached(status, Duration.ZERO), DEAD, NO_TRACE),
                SandboxStatus.CRASHED,
                TerminationReason.INTERNAL_ERROR);
        assertSettled(
                judge(detached(status, Duration.ZERO), LET_GO, NO_TRACE),
                SandboxStatus.CRASHED,
                TerminationReason.INTERNAL_ERROR);
    }

    @Test
    void whileDrainingAVmThatIsGoneHasReachedItsEndAlsoIfNoProcessSawIt() {
        assertSettled(
                judge(attached(SandboxStatus.DRAINING, Duration.ZERO), DEAD, NO_TRACE),
                SandboxStatus.STOPPED,
                TerminationReason.SHUTDOWN_REQUESTED);
    }

    @Test
    void whatTheEndWasAskedForAsIsKept() {
        SweepRow.Run run = new SweepRow.Run(
                1, VM, false, process(), true, Optional.of(TerminationReason.IDLE_TIMEOUT), NOW.minus(LONG));
        assertSettled(
                judge(row(SandboxStatus.DRAINING, true, LONG, Optional.of(run)), DEAD, ended(VmExit.Cause.KILLED)),
                SandboxStatus.STOPPED,
                TerminationReason.IDLE_TIMEOUT);
    }

    @Test
    void aStartOfALivingProcessHasUntilItsDeadline() {
        assertThat(judge(begun(START_TIMEOUT.minusMillis(1)), LET_GO, NO_TRACE)).isEqualTo(new Verdict.Leave());
        assertSettled(
                judge(begun(START_TIMEOUT), LET_GO, NO_TRACE), SandboxStatus.CRASHED, TerminationReason.INTERNAL_ERROR);
    }

    /** Its start counts, not the last change of its row. */
    @Test
    void aStartThatHasJustBegunIsLeftAloneHoweverOldItsRowIs() {
        SweepRow.Run young = run(false, false, Duration.ZERO);
        assertThat(judge(row(SandboxStatus.STARTING, true, LONG, Optional.of(young)), LET_GO, NO_TRACE))
                .isEqualTo(new Verdict.Leave());
    }

    @Test
    void onlyAStartWhoseVmWasNotSeenYetHasTime() {
        SweepRow.Run seen = run(false, true, Duration.ZERO);
        assertSettled(
                judge(row(SandboxStatus.STARTING, true, Duration.ZERO, Optional.of(seen)), LET_GO, NO_TRACE),
                SandboxStatus.CRASHED,
                TerminationReason.INTERNAL_ERROR);
        SweepRow.Run unseen = run(false, false, Duration.ZERO);
        assertSettled(
                judge(row(SandboxStatus.RUNNING, true, Duration.ZERO, Optional.of(unseen)), LET_GO, NO_TRACE),
                SandboxStatus.CRASHED,
                TerminationReason.INTERNAL_ERROR);
    }

    @Test
    void aStartOfADeadProcessHasAsLongAsAGuardThatItMayHaveStarted() {
        assertThat(judge(begun(GRACE.minusMillis(1)), DEAD, NO_TRACE)).isEqualTo(new Verdict.Leave());
        assertSettled(judge(begun(GRACE), DEAD, NO_TRACE), SandboxStatus.CRASHED, TerminationReason.INTERNAL_ERROR);
        assertSettled(judge(begun(GRACE), DEAD, made()), SandboxStatus.CRASHED, TerminationReason.INTERNAL_ERROR);
    }

    @Test
    void aStartWhoseVmHasEndedIsOver() {
        assertSettled(
                judge(begun(Duration.ZERO), DEAD, ended(VmExit.Cause.EXITED)),
                SandboxStatus.CRASHED,
                TerminationReason.INTERNAL_ERROR);
    }

    @Test
    void aClockThatWasSetBackMakesNothingOldButWhatADeadProcessLeft() {
        Duration future = Duration.ofHours(-1);
        assertThat(judge(begun(future), LET_GO, NO_TRACE)).isEqualTo(new Verdict.Leave());
        assertThat(judge(withoutRun(SandboxStatus.CREATED, future), DEAD, NO_TRACE))
                .isEqualTo(new Verdict.Leave());
        assertThat(judge(withoutRun(SandboxStatus.STARTING, future), DEAD, NO_TRACE))
                .isEqualTo(new Verdict.Leave());
        assertThat(rule.judge(
                        attached(SandboxStatus.RUNNING, future), DEAD, live(), false, Optional.of(NOW.plusSeconds(1))))
                .isEqualTo(new Verdict.Wait());
        assertSettled(judge(begun(future), DEAD, NO_TRACE), SandboxStatus.CRASHED, TerminationReason.INTERNAL_ERROR);
    }

    @Test
    void aClockThatWasSetForthKillsAndSettlesNothingThatLives() {
        assertThat(judge(begun(LONG), OWNED, NO_TRACE)).isEqualTo(new Verdict.Leave());
        assertThat(judge(attached(SandboxStatus.RUNNING, LONG), OWNED, live())).isEqualTo(new Verdict.Leave());
        assertThat(judge(attached(SandboxStatus.RUNNING, LONG), LET_GO, live())).isEqualTo(new Verdict.Leave());
        assertThat(judge(detached(SandboxStatus.RUNNING, LONG), DEAD, live())).isEqualTo(new Verdict.Leave());
    }

    private Verdict judge(SweepRow row, Owner owner, Optional<VmInfo> vm) {
        return rule.judge(row, owner, vm, false, Optional.empty());
    }

    private static void assertSettled(Verdict verdict, SandboxStatus status, TerminationReason reason) {
        assertThat(verdict).isInstanceOfSatisfying(Verdict.Settle.class, settle -> {
            assertThat(settle.termination().reason()).isEqualTo(reason);
            assertThat(settle.termination().status()).isEqualTo(status);
        });
    }

    private static SweepRow withoutRun(SandboxStatus status, Duration age) {
        return row(status, true, age, Optional.empty());
    }

    private static SweepRow attached(SandboxStatus status, Duration age) {
        return row(status, true, age, Optional.of(run(false, true, age)));
    }

    private static SweepRow detached(SandboxStatus status, Duration age) {
        return row(status, true, age, Optional.of(run(true, true, age)));
    }

    /** A start whose guest has not answered yet. */
    private static SweepRow begun(Duration age) {
        return row(SandboxStatus.STARTING, true, age, Optional.of(run(false, false, age)));
    }

    private static SweepRow row(SandboxStatus status, boolean ephemeral, Duration age, Optional<SweepRow.Run> run) {
        return new SweepRow(1, "a", "a-1", status, ephemeral, START_TIMEOUT, NOW.minus(age), run);
    }

    private static SweepRow.Run run(boolean detached, boolean identified, Duration age) {
        return new SweepRow.Run(1, VM, detached, process(), identified, Optional.empty(), NOW.minus(age));
    }

    private static ProcessIdentity process() {
        return new ProcessIdentity(1, 1, "boot");
    }

    private static Optional<VmInfo> live() {
        return Optional.of(new VmInfo(VM, VmState.RUNNING, Optional.of(process()), Optional.empty()));
    }

    private static Optional<VmInfo> made() {
        return Optional.of(new VmInfo(VM, VmState.CREATED, Optional.empty(), Optional.empty()));
    }

    private static Optional<VmInfo> ended(VmExit.Cause cause) {
        VmExit exit = new VmExit(cause, Optional.empty(), OptionalInt.empty(), OptionalInt.empty(), NOW, NOW);
        return Optional.of(new VmInfo(VM, VmState.STOPPED, Optional.empty(), Optional.of(exit)));
    }
}
