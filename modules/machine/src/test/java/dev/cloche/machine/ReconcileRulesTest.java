package dev.cloche.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.machine.MachineEvent.Kind;
import dev.cloche.machine.config.MachineEventLog;
import dev.cloche.machine.lifecycle.ChangeRules;
import dev.cloche.machine.lifecycle.EndReason;
import dev.cloche.machine.lifecycle.ReconcileRules;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.Goodbye;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a machine's file and its VM say together, and what follows from it. */
class ReconcileRulesTest {
    private static final VmExit CRASH = exit(VmExit.Cause.EXITED, Optional.empty());

    @ParameterizedTest
    @EnumSource
    void aVmThatRunsIsAdoptedOnlyIfTheFileSaysSo(DiskState disk) {
        assertThat(ReconcileRules.of(machine(disk, MachineRestartPolicy.NO), live()))
                .isInstanceOf(
                        switch (disk) {
                            case RUNNING -> ReconcileRules.Adopt.class;
                            case STOPPED -> ReconcileRules.FinishStop.class;
                            case CREATED, SUSPENDED -> ReconcileRules.Kill.class;
                        });
    }

    @ParameterizedTest
    @EnumSource(names = "RUNNING", mode = EnumSource.Mode.EXCLUDE)
    void aMachineAtRestIsLeftInPeace(DiskState disk) {
        assertThat(ReconcileRules.of(machine(disk, MachineRestartPolicy.ALWAYS), Optional.empty()))
                .isInstanceOf(ReconcileRules.Nothing.class);
        assertThat(ReconcileRules.of(machine(disk, MachineRestartPolicy.ALWAYS), ended(CRASH)))
                .isInstanceOf(ReconcileRules.Nothing.class);
    }

    @ParameterizedTest
    @EnumSource
    void whoPoweredOffIsStartedAgainOnlyByAlways(MachineRestartPolicy policy) {
        VmExit off = exit(
                VmExit.Cause.EXITED, Optional.of(new Goodbye(Goodbye.Reason.SHUTDOWN_REQUESTED, Optional.empty())));
        for (VmExit exit : new VmExit[] {off, exit(VmExit.Cause.STOPPED, Optional.empty())}) {
            ReconcileRules found = ReconcileRules.of(machine(DiskState.RUNNING, policy), ended(exit));
            if (policy == MachineRestartPolicy.ALWAYS) {
                assertThat(found).isInstanceOf(ReconcileRules.Restart.class);
            } else {
                assertThat(found)
                        .isInstanceOfSatisfying(
                                ReconcileRules.RecordEnd.class,
                                settle -> assertThat(settle.reason().failed()).isFalse());
            }
        }
    }

    @Test
    void anInitThatEndsWithAnErrorHasFailedAndOneThatEndsWellHasPoweredOff() {
        for (ExitStatus bad : List.of(new ExitStatus.Exited(3), new ExitStatus.Signalled(11))) {
            Goodbye goodbye = new Goodbye(Goodbye.Reason.MAIN_ENDED, Optional.of(bad));
            ReconcileRules found = ReconcileRules.of(
                    machine(DiskState.RUNNING, MachineRestartPolicy.NO),
                    ended(exit(VmExit.Cause.EXITED, Optional.of(goodbye))));
            assertThat(found)
                    .isEqualTo(new ReconcileRules.RecordEnd(
                            new EndReason(true, "its init ended with " + bad.shellCode())));
        }
        Goodbye well = new Goodbye(Goodbye.Reason.MAIN_ENDED, Optional.of(new ExitStatus.Exited(0)));
        assertThat(ReconcileRules.of(
                        machine(DiskState.RUNNING, MachineRestartPolicy.NO),
                        ended(exit(VmExit.Cause.EXITED, Optional.of(well)))))
                .isEqualTo(new ReconcileRules.RecordEnd(new EndReason(false, "its guest powered off")));
    }

    @Test
    void aQemuThatBrokeItsWallsIsAFailureWhateverItsGuestSaid() {
        Goodbye well = new Goodbye(Goodbye.Reason.MAIN_ENDED, Optional.of(new ExitStatus.Exited(0)));
        ReconcileRules found = ReconcileRules.of(
                machine(DiskState.RUNNING, MachineRestartPolicy.NO),
                ended(exit(VmExit.Cause.ISOLATION, Optional.of(well))));
        assertThat(found)
                .isEqualTo(new ReconcileRules.RecordEnd(
                        new EndReason(true, "isolation: its QEMU tried what it never does by itself, and was ended")));
    }

    @ParameterizedTest
    @EnumSource
    void whatCrashedIsStartedAgainUnlessThePolicyIsNo(MachineRestartPolicy policy) {
        for (Optional<VmInfo> vm : List.of(
                ended(CRASH),
                ended(exit(VmExit.Cause.GUARD_LOST, Optional.empty())),
                ended(exit(VmExit.Cause.KILLED, Optional.empty())),
                Optional.<VmInfo>empty())) {
            ReconcileRules found = ReconcileRules.of(machine(DiskState.RUNNING, policy), vm);
            if (policy == MachineRestartPolicy.NO) {
                assertThat(found)
                        .isInstanceOfSatisfying(
                                ReconcileRules.RecordEnd.class,
                                settle -> assertThat(settle.reason().failed()).isTrue());
            } else {
                assertThat(found)
                        .isInstanceOfSatisfying(
                                ReconcileRules.Restart.class,
                                restart -> assertThat(restart.why()).isNotEmpty());
            }
        }
    }

    @Test
    void aRunningFileMeansWhatItsVmSays() {
        PersistedMachine begun = machine(DiskState.RUNNING, MachineRestartPolicy.NO);
        PersistedMachine up = begun.withStatus(begun.status().withStartedAt(Optional.of(SampleMachines.CREATED)));
        assertState(CurrentMachine.of(up, live(), false), MachineState.RUNNING, false);
        assertState(CurrentMachine.of(begun, live(), false), MachineState.STARTING, false);
        assertState(CurrentMachine.of(begun, Optional.empty(), true), MachineState.STARTING, false);
        assertState(CurrentMachine.of(up, ended(CRASH), false), MachineState.STOPPED, true);
        assertState(CurrentMachine.of(up, Optional.empty(), false), MachineState.STOPPED, true);
    }

    @Test
    void aFileOfAMachineAtRestMeansWhatItSays() {
        PersistedMachine stopped = machine(DiskState.STOPPED, MachineRestartPolicy.NO);
        assertState(CurrentMachine.of(stopped, Optional.empty(), false), MachineState.STOPPED, false);
        assertState(CurrentMachine.of(stopped, live(), false), MachineState.STOPPING, false);
        PersistedMachine failed = stopped.withStatus(stopped.status().withLastError(Optional.of("it fell over")));
        assertState(CurrentMachine.of(failed, Optional.empty(), false), MachineState.FAILED, false);
        assertState(
                CurrentMachine.of(machine(DiskState.SUSPENDED, MachineRestartPolicy.NO), Optional.empty(), false),
                MachineState.SUSPENDED,
                false);
        assertState(
                CurrentMachine.of(machine(DiskState.CREATED, MachineRestartPolicy.NO), Optional.empty(), false),
                MachineState.CREATED,
                false);
    }

    @Test
    void aPersonMayChangeMostButNotWhatBelongsToTheDiskTheMemoryOrTheVm() {
        PersistedMachine machine = machine(DiskState.STOPPED, MachineRestartPolicy.NO);
        ChangeRules.check(machine, machine.withResources(new MachineResources(9, 999, 21)));
        ChangeRules.check(machine, machine.withSettings(SampleMachines.full().settings()));
        refused(machine, machine.withResources(new MachineResources(2, 2048, 19)), "smaller");
        refused(machine, machine.withVmId(new VmId("other")), "vm_id");
        refused(machine, machine.withOrigin(MachineOrigin.of("fedora")), "image");
        refused(machine, machine(DiskState.RUNNING, MachineRestartPolicy.NO), "state");
        PersistedMachine suspended = machine(DiskState.SUSPENDED, MachineRestartPolicy.NO);
        refused(suspended, suspended.withResources(new MachineResources(2, 4096, 20)), "suspended");
        MachineSettings settings = SampleMachines.full().settings();
        refused(suspended, suspended.withSettings(settings), "suspended");
        MachineSettings ofThisVm = settings.withNetwork(suspended.settings().network())
                .withInit(suspended.settings().init());
        ChangeRules.check(suspended, suspended.withSettings(ofThisVm.withPublish(List.of())));
    }

    @Test
    void eventsAreReadInOrderAndTheOldestGoWhenThereAreMany(@TempDir Path base) throws Exception {
        MachineEventLog log = new MachineEventLog(base, Clock.fixed(SampleMachines.CREATED, ZoneOffset.UTC));
        assertThat(log.all()).isEmpty();
        log.add("web", Kind.CREATED, "a \"quoted\"\nline");
        Files.writeString(base.resolve(".events.jsonl"), "{\"time\":\"half a li", StandardOpenOption.APPEND);
        Files.writeString(base.resolve(".events.jsonl"), "\n", StandardOpenOption.APPEND);
        log.add("web", Kind.STARTED, "");
        assertThat(log.all())
                .containsExactly(
                        new MachineEvent(SampleMachines.CREATED, "web", Kind.CREATED, "a \"quoted\"\nline"),
                        new MachineEvent(SampleMachines.CREATED, "web", Kind.STARTED, ""));
        for (int i = 0; i < 1500; i++) {
            log.add("web", Kind.FAILED, "x".repeat(2000) + i);
        }
        assertThat(log.all()).hasSizeBetween(450, 1100);
        assertThat(log.all().getLast().detail()).hasSize(1000);
        assertThat(Files.size(base.resolve(".events.jsonl"))).isLessThan(600_000);
    }

    private static void refused(PersistedMachine before, PersistedMachine after, String about) {
        assertThatThrownBy(() -> ChangeRules.check(before, after))
                .isInstanceOf(MachineException.class)
                .hasMessageContaining(about);
    }

    private static void assertState(CurrentMachine info, MachineState state, boolean recovery) {
        assertThat(info.state()).isEqualTo(state);
        assertThat(info.needsRecovery()).isEqualTo(recovery);
    }

    private static PersistedMachine machine(DiskState disk, MachineRestartPolicy policy) {
        PersistedMachine machine = SampleMachines.plain("web");
        return machine.withSettings(machine.settings().withRestartPolicy(policy))
                .withStatus(machine.status().withState(disk));
    }

    private static Optional<VmInfo> live() {
        return Optional.of(new VmInfo(new VmId("vm-web"), VmState.RUNNING, Optional.empty(), Optional.empty()));
    }

    private static Optional<VmInfo> ended(VmExit exit) {
        return Optional.of(new VmInfo(new VmId("vm-web"), VmState.STOPPED, Optional.empty(), Optional.of(exit)));
    }

    private static VmExit exit(VmExit.Cause cause, Optional<Goodbye> goodbye) {
        return new VmExit(cause, goodbye, OptionalInt.empty(), OptionalInt.empty(), Instant.EPOCH, Instant.EPOCH);
    }
}
