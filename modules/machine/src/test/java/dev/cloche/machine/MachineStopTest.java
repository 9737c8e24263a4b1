package dev.cloche.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.Deadline;
import dev.cloche.machine.MachineEvent.Kind;
import dev.cloche.vm.Vm;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What is recorded of the end of a machine: what happened, not what was wanted. */
class MachineStopTest extends MachinesInMemory {
    private static final Duration GRACE = Duration.ofSeconds(10);

    @Test
    void aStopInOrderIsRecordedUntilTheNextStart() {
        make(MachineSettings.DEFAULTS);
        start().close();
        machines.stop(WEB, GRACE, soon());
        assertStopped("it was shut down");

        start().close();
        assertThat(status().lastEnd()).isEmpty();
    }

    @Test
    void aStopAfterWhichProgramsHadToBeKilledSaysSo() {
        make(MachineSettings.DEFAULTS);
        faults.killAtShutdown(2);
        start().close();
        machines.stop(WEB, GRACE, soon());
        assertStopped("2 programs in it had not ended 10 seconds after the stop, and had to be killed");

        faults.killAtShutdown(1);
        start().close();
        machines.stop(WEB, Duration.ofSeconds(1), soon());
        assertStopped("a program in it had not ended 1 second after the stop, and had to be killed");
    }

    @Test
    void aGuestThatDoesNotHearOfItsStopIsKilledAndThatIsRecorded() {
        make(MachineSettings.DEFAULTS);
        start().close();
        vms.pause(vm().id(), soon());
        machines.stop(WEB, Duration.ofMillis(1), Deadline.after(Duration.ofMillis(100)));
        assertStopped("its guest did not end, and its VM had to be killed");
    }

    @Test
    void aKillOnRequestAndAnEndWithoutAWordAreToldFromAStopInOrder() {
        make(MachineSettings.DEFAULTS);
        start().close();
        machines.stop(WEB, Duration.ZERO, soon());
        assertStopped("its VM was killed on request");

        faults.loseGoodbyes();
        start().close();
        machines.stop(WEB, GRACE, soon());
        assertStopped("it was to shut down, and its guest ended without a word");
    }

    @Test
    void aSuspendedOneThatIsStoppedHasGivenItsMemoryUp() {
        make(MachineSettings.DEFAULTS);
        start().close();
        machines.suspend(WEB, soon());
        assertThat(state()).isEqualTo(MachineState.SUSPENDED);
        machines.stop(WEB, GRACE, soon());
        assertStopped("its memory was given up");
    }

    @Test
    void aFailureIsRecordedAsOneAndNotAsAnEnd() {
        make(MachineSettings.DEFAULTS);
        start().close();
        vms.kill(vm().id(), soon());
        assertThat(state()).isEqualTo(MachineState.FAILED);
        assertThat(status().lastError()).contains("its VM was killed");
        assertThat(status().lastEnd()).isEmpty();
    }

    @Test
    void anEndThatItsStopperDidNotLiveToRecordIsRecordedByTheNextLook() {
        make(MachineSettings.DEFAULTS.withRestartPolicy(MachineRestartPolicy.ALWAYS));
        endWithoutARecord(vm -> vm.stop(GRACE, soon()));
        assertStopped("it was shut down");

        faults.killAtShutdown(2);
        endWithoutARecord(vm -> vm.stop(GRACE, soon()));
        assertStopped("2 programs in it had not ended in time, and had to be killed");

        endWithoutARecord(vm -> vm.kill(soon()));
        assertStopped("its VM was killed");

        endWithoutARecord(vm -> {
            vm.kill(soon());
            vm.destroy();
        });
        assertStopped("its host went down, or its VM was removed");
    }

    /** A stop as it is in the file until the end is recorded, and in which that never comes. */
    private void endWithoutARecord(Consumer<Vm> end) {
        start().close();
        store().updateState(WEB, MachineState.STOPPING);
        try (Vm vm = vms.adopt(vm().id(), soon())) {
            end.accept(vm);
        }
        assertThat(store().load(WEB).status().lastEnd()).isEmpty();
    }

    @Test
    void aStopWhoseProcessIsGoneIsBegunAgain() {
        make(MachineSettings.DEFAULTS.withRestartPolicy(MachineRestartPolicy.ALWAYS));
        start().close();
        store().updateState(WEB, MachineState.STOPPING);
        assertThat(state()).isEqualTo(MachineState.STOPPING);
        machines.recover(soon());
        assertStopped("it was shut down");
    }

    private void assertStopped(String how) {
        assertThat(state()).isEqualTo(MachineState.STOPPED);
        assertThat(status().lastEnd()).contains(how);
        assertThat(status().lastError()).isEqualTo(Optional.empty());
        assertThat(machines.events().getLast())
                .extracting(MachineEvent::kind, MachineEvent::detail)
                .containsExactly(Kind.STOPPED, how);
    }
}
