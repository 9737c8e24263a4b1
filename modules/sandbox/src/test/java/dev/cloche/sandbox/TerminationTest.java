package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.Goodbye;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmExit.Cause;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Each reason for an end, from what shows it to where it leaves the sandbox. */
class TerminationTest {
    @ParameterizedTest
    @CsvSource({
        "COMPLETED, STOPPED, STOPPED",
        "FAILED, STOPPED, STOPPED",
        "MAX_DURATION_EXCEEDED, STOPPED, STOPPED",
        "IDLE_TIMEOUT, STOPPED, STOPPED",
        "AGENT_UNRESPONSIVE, CRASHED, CRASHED",
        "SHUTDOWN_REQUESTED, STOPPED, STOPPED",
        "DRAIN_REQUESTED, STOPPED, STOPPED",
        "SIGNAL, STOPPED, CRASHED",
        "INTERNAL_ERROR, CRASHED, CRASHED"
    })
    void eachReasonIsAnIntendedEndOrACrash(TerminationReason reason, SandboxStatus asked, SandboxStatus unasked) {
        assertThat(reason.status(true)).isEqualTo(asked);
        assertThat(reason.status(false)).isEqualTo(unasked);
    }

    @ParameterizedTest
    @EnumSource(
            value = TerminationReason.class,
            names = {"IDLE_TIMEOUT", "AGENT_UNRESPONSIVE", "SHUTDOWN_REQUESTED", "DRAIN_REQUESTED", "SIGNAL"})
    void whatWasAskedForIsWhyItEnded(TerminationReason asked) {
        for (Cause cause : new Cause[] {Cause.KILLED, Cause.STOPPED, Cause.EXITED, Cause.OWNER_GONE}) {
            assertThat(Termination.of(exit(cause), Optional.of(asked)).reason()).isEqualTo(asked);
        }
        assertThat(Termination.ofLeftover(Optional.empty(), Optional.of(asked)).reason())
                .isEqualTo(asked);
        assertThat(asked.canBeAsked()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = TerminationReason.class,
            names = {"COMPLETED", "FAILED", "MAX_DURATION_EXCEEDED", "INTERNAL_ERROR"})
    void someEndsAreNeverAskedFor(TerminationReason reason) {
        assertThat(reason.canBeAsked()).isFalse();
        assertThatThrownBy(() -> Termination.of(exit(Cause.KILLED), Optional.of(reason)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theGuardsLimitCountsAlsoIfAStopWasAskedForMeanwhile() {
        Termination termination =
                Termination.of(exit(Cause.MAX_DURATION), Optional.of(TerminationReason.SHUTDOWN_REQUESTED));
        assertThat(termination.reason()).isEqualTo(TerminationReason.MAX_DURATION_EXCEEDED);
        assertThat(termination.status()).isEqualTo(SandboxStatus.STOPPED);
    }

    @Test
    void aQemuThatBrokeItsWallsHasCrashedWhateverWasAskedForAndItsGuestSaid() {
        Goodbye goodbye = new Goodbye(Goodbye.Reason.SHUTDOWN_REQUESTED, Optional.of(new ExitStatus.Exited(0)));
        VmExit exit = new VmExit(
                Cause.ISOLATION,
                Optional.of(goodbye),
                OptionalInt.empty(),
                OptionalInt.of(31),
                Instant.EPOCH,
                Instant.EPOCH);
        assertThat(exit.crashed()).isTrue();
        for (Optional<TerminationReason> asked :
                List.of(Optional.<TerminationReason>empty(), Optional.of(TerminationReason.SHUTDOWN_REQUESTED))) {
            Termination termination = Termination.of(exit, asked);
            assertThat(termination.status()).isEqualTo(SandboxStatus.CRASHED);
            assertThat(termination.detail()).startsWith("Isolation: ");
        }
    }

    @Test
    void aVmWithoutMemoryHasCrashedUnlessItsEndWasAskedFor() {
        assertThat(exit(Cause.OUT_OF_MEMORY).crashed()).isTrue();
        Termination termination = Termination.of(exit(Cause.OUT_OF_MEMORY), Optional.empty());
        assertThat(termination.status()).isEqualTo(SandboxStatus.CRASHED);
        assertThat(termination.detail()).startsWith("Out of memory: ");
        assertThat(Termination.of(exit(Cause.OUT_OF_MEMORY), Optional.of(TerminationReason.SHUTDOWN_REQUESTED))
                        .status())
                .isEqualTo(SandboxStatus.STOPPED);
    }

    @Test
    void aMainCommandThatEndsWithAStopKeepsItsExitCode() {
        Goodbye goodbye = new Goodbye(Goodbye.Reason.MAIN_ENDED, Optional.of(new ExitStatus.Exited(3)));
        VmExit exit = new VmExit(
                Cause.EXITED,
                Optional.of(goodbye),
                OptionalInt.empty(),
                OptionalInt.empty(),
                Instant.EPOCH,
                Instant.EPOCH);
        Termination termination = Termination.of(exit, Optional.of(TerminationReason.DRAIN_REQUESTED));
        assertThat(termination.reason()).isEqualTo(TerminationReason.DRAIN_REQUESTED);
        assertThat(termination.exitCode()).hasValue(3);
        assertThat(termination.asked()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            value = TerminationReason.class,
            names = {"IDLE_TIMEOUT", "SHUTDOWN_REQUESTED", "DRAIN_REQUESTED"})
    void aStopTellsHowTheMainCommandEndedAndWhatHadToBeKilled(TerminationReason asked) {
        Termination clean = Termination.of(shutDown(new ExitStatus.Exited(7), 0), Optional.of(asked));
        assertThat(clean.reason()).isEqualTo(asked);
        assertThat(clean.exitCode()).hasValue(7);
        assertThat(clean.killed()).isFalse();

        Termination late = Termination.of(shutDown(new ExitStatus.Signalled(9), 2), Optional.of(asked));
        assertThat(late.reason()).isEqualTo(asked);
        assertThat(late.exitSignal()).hasValue(9);
        assertThat(late.killed()).isTrue();
        assertThat(late.detail()).endsWith("2 programs in it had not ended in time, and had to be killed.");

        Termination silent = Termination.of(exit(Cause.KILLED), Optional.of(asked));
        assertThat(silent.killed()).isTrue();
        assertThat(silent.detail()).endsWith("its VM was killed.");
        assertThat(silent.status()).isEqualTo(SandboxStatus.STOPPED);
    }

    @Test
    void aStopThatWasNotRecordedTellsTheSame() {
        Termination termination = Termination.of(shutDown(new ExitStatus.Exited(0), 1), Optional.empty());
        assertThat(termination.reason()).isEqualTo(TerminationReason.SHUTDOWN_REQUESTED);
        assertThat(termination.exitCode()).hasValue(0);
        assertThat(termination.killed()).isTrue();
    }

    @Test
    void anAskedKillIsNotLate() {
        assertThat(Termination.of(exit(Cause.KILLED), Optional.of(TerminationReason.SIGNAL))
                        .killed())
                .isFalse();
    }

    @Test
    void anAskedKillIsASignalAndNoCrash() {
        Termination termination = Termination.of(exit(Cause.KILLED), Optional.of(TerminationReason.SIGNAL));
        assertThat(termination.exitSignal()).hasValue(9);
        assertThat(termination.status()).isEqualTo(SandboxStatus.STOPPED);
    }

    @Test
    void aGuestThatItsOwnerGaveUpHasCrashed() {
        Termination termination = Termination.of(exit(Cause.KILLED), Optional.of(TerminationReason.AGENT_UNRESPONSIVE));
        assertThat(termination.status()).isEqualTo(SandboxStatus.CRASHED);
        assertThat(termination.asked()).isFalse();
    }

    @Test
    void aStartThatFailedSaysWhy() {
        IllegalStateException failure = new IllegalStateException("no memory");
        assertThat(Termination.ofFailedStart(failure, false).detail()).contains("no memory");
        assertThat(Termination.ofFailedStart(failure, false).reason()).isEqualTo(TerminationReason.INTERNAL_ERROR);
        assertThat(Termination.ofFailedStart(failure, true).reason()).isEqualTo(TerminationReason.AGENT_UNRESPONSIVE);
    }

    private static VmExit shutDown(ExitStatus main, int killed) {
        Goodbye goodbye = new Goodbye(Goodbye.Reason.SHUTDOWN_REQUESTED, Optional.of(main), killed);
        return new VmExit(
                Cause.EXITED,
                Optional.of(goodbye),
                OptionalInt.of(0),
                OptionalInt.empty(),
                Instant.EPOCH,
                Instant.EPOCH);
    }

    private static VmExit exit(Cause cause) {
        return new VmExit(
                cause, Optional.empty(), OptionalInt.empty(), OptionalInt.empty(), Instant.EPOCH, Instant.EPOCH);
    }
}
