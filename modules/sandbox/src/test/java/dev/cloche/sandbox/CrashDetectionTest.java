package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.linux.ProcessIdentity;
import dev.cloche.sandbox.lifecycle.CrashDetection;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.Goodbye;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmExit.Cause;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmState;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CrashDetectionTest {
    private static final VmId VM = new VmId("vm");

    @ParameterizedTest
    @EnumSource(
            value = SandboxStatus.class,
            names = {"CREATED", "STOPPED", "CRASHED"})
    void whatIsNotActiveStaysAsItIs(SandboxStatus status) {
        assertThat(CrashDetection.of(attached(status), Optional.empty())).isEmpty();
    }

    @Test
    void whatRunsStaysAsItIs() {
        assertThat(CrashDetection.of(detached(SandboxStatus.RUNNING), running()))
                .isEmpty();
        assertThat(CrashDetection.of(attached(SandboxStatus.RUNNING), running()))
                .isEmpty();
    }

    @Test
    void aStartWhoseOwnerDiedHasCrashed() {
        Termination termination = CrashDetection.of(attached(SandboxStatus.STARTING), Optional.empty())
                .orElseThrow();
        assertThat(termination.reason()).isEqualTo(TerminationReason.INTERNAL_ERROR);
        assertThat(termination.status()).isEqualTo(SandboxStatus.CRASHED);
    }

    @Test
    void aVmThatNeverRanAndWhoseOwnerDiedHasCrashed() {
        Optional<VmInfo> created = Optional.of(new VmInfo(VM, VmState.CREATED, Optional.empty(), Optional.empty()));
        assertThat(CrashDetection.of(attached(SandboxStatus.STARTING), created)).isPresent();
    }

    @Test
    void aDetachedSandboxHasEndedAsItsGuardSays() {
        Termination termination = CrashDetection.of(detached(SandboxStatus.RUNNING), ended(Cause.MAX_DURATION))
                .orElseThrow();
        assertThat(termination.reason()).isEqualTo(TerminationReason.MAX_DURATION_EXCEEDED);
    }

    @Test
    void anEndThatWasAskedForIsNoCrash() {
        Termination termination = CrashDetection.of(detached(SandboxStatus.DRAINING), ended(Cause.KILLED))
                .orElseThrow();
        assertThat(termination.reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
    }

    @Test
    void anEndThatWasAskedForIsReachedAlsoWithoutAWitness() {
        Termination termination = CrashDetection.of(detached(SandboxStatus.DRAINING), Optional.empty())
                .orElseThrow();
        assertThat(termination.reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
        assertThat(termination.status()).isEqualTo(SandboxStatus.STOPPED);
    }

    @Test
    void theMainCommandsExitCodeIsKept() {
        VmExit exit = exit(Cause.EXITED, Optional.of(mainEnded(new ExitStatus.Exited(9))), OptionalInt.empty());
        Termination termination = Termination.of(exit, Optional.empty());
        assertThat(termination.reason()).isEqualTo(TerminationReason.FAILED);
        assertThat(termination.exitCode()).hasValue(9);
        assertThat(termination.status()).isEqualTo(SandboxStatus.STOPPED);
    }

    @Test
    void theMainCommandsEndCountsAlsoIfAStopWasAskedForMeanwhile() {
        VmExit exit = exit(Cause.EXITED, Optional.of(mainEnded(new ExitStatus.Signalled(15))), OptionalInt.empty());
        Termination termination = Termination.of(exit, Optional.of(TerminationReason.SHUTDOWN_REQUESTED));
        assertThat(termination.exitSignal()).hasValue(15);
        assertThat(termination.exitCode()).isEmpty();
    }

    @Test
    void aSuccessfulMainCommandCompletesTheRun() {
        VmExit exit = exit(Cause.EXITED, Optional.of(mainEnded(new ExitStatus.Exited(0))), OptionalInt.empty());
        assertThat(Termination.of(exit, Optional.empty()).reason()).isEqualTo(TerminationReason.COMPLETED);
    }

    @Test
    void aGoodbyeOnRequestIsNoCrashForAnyProcessThatLooks() {
        Goodbye goodbye = new Goodbye(Goodbye.Reason.SHUTDOWN_REQUESTED, Optional.empty());
        assertThat(Termination.of(exit(Cause.EXITED, Optional.of(goodbye), OptionalInt.empty()), Optional.empty())
                        .reason())
                .isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
    }

    @Test
    void aSignalThatWasNotAskedForIsACrash() {
        Termination termination =
                Termination.of(exit(Cause.EXITED, Optional.empty(), OptionalInt.of(11)), Optional.empty());
        assertThat(termination.reason()).isEqualTo(TerminationReason.SIGNAL);
        assertThat(termination.exitSignal()).hasValue(11);
        assertThat(termination.status()).isEqualTo(SandboxStatus.CRASHED);
    }

    @Test
    void aGuestThatWasAskedToShutDownNeedsNoLastWords() {
        assertThat(Termination.of(exit(Cause.STOPPED, Optional.empty(), OptionalInt.empty()), Optional.empty())
                        .reason())
                .isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
    }

    @ParameterizedTest
    @EnumSource(
            value = Cause.class,
            names = {"EXITED", "OWNER_GONE", "GUARD_LOST", "KILLED", "POOL_AGE"})
    void anEndWithoutAWordIsACrash(Cause cause) {
        assertThat(Termination.of(exit(cause, Optional.empty(), OptionalInt.empty()), Optional.empty())
                        .reason())
                .isEqualTo(TerminationReason.INTERNAL_ERROR);
    }

    private static Goodbye mainEnded(ExitStatus status) {
        return new Goodbye(Goodbye.Reason.MAIN_ENDED, Optional.of(status));
    }

    private static Optional<VmInfo> running() {
        return Optional.of(new VmInfo(VM, VmState.RUNNING, Optional.empty(), Optional.empty()));
    }

    private static Optional<VmInfo> ended(Cause cause) {
        VmExit exit = exit(cause, Optional.empty(), OptionalInt.empty());
        return Optional.of(new VmInfo(VM, VmState.STOPPED, Optional.empty(), Optional.of(exit)));
    }

    private static VmExit exit(Cause cause, Optional<Goodbye> goodbye, OptionalInt signal) {
        return new VmExit(cause, goodbye, OptionalInt.empty(), signal, Instant.EPOCH, Instant.EPOCH);
    }

    private static SandboxRecord attached(SandboxStatus status) {
        return record(status, false);
    }

    private static SandboxRecord detached(SandboxStatus status) {
        return record(status, true);
    }

    private static SandboxRecord record(SandboxStatus status, boolean detached) {
        ProcessIdentity owner = new ProcessIdentity(1, 1, "boot");
        RunRecord run = new RunRecord(
                1,
                VM,
                detached,
                owner,
                Optional.empty(),
                Optional.empty(),
                Instant.EPOCH,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
        return new SandboxRecord(
                1,
                "a",
                "a-1",
                "base",
                Optional.empty(),
                "",
                status,
                false,
                512,
                1,
                OptionalInt.empty(),
                SandboxPolicies.none(),
                0,
                Instant.EPOCH,
                Instant.EPOCH,
                Optional.of(run));
    }
}
