package dev.cloche.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.image.PullListener;
import dev.cloche.vm.VmException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What comes of a machine for which its host has no room. */
class MachineRoomTest extends MachinesInMemory {
    private static final Duration PATIENT = Duration.ofMinutes(1);

    private void assertRefused() {
        MachineStatus before = status();
        assertThatThrownBy(this::start).isInstanceOf(VmException.NoRoom.class);
        assertThat(status()).isEqualTo(before);
        assertThat(vms.list()).isEmpty();
    }

    @Test
    void oneThatDoesNotWaitIsRefusedAndStaysAsItWas() {
        make(MachineSettings.DEFAULTS);
        faults.full(true);
        assertRefused();
        assertThat(state()).isEqualTo(MachineState.CREATED);

        faults.full(false);
        start().close();
        machines.suspend(WEB, soon());
        faults.full(true);
        assertRefused();
        assertThat(state()).isEqualTo(MachineState.SUSPENDED);
    }

    @Test
    void oneWhoseDiskIsLowIsNeitherSuspendedNorCopiedAndRunsOn() {
        make(MachineSettings.DEFAULTS);
        start().close();
        faults.lowDisk(true);
        assertThatThrownBy(() -> machines.suspend(WEB, soon())).isInstanceOf(VmException.NoRoom.class);
        assertThatThrownBy(() -> machines.snapshot(WEB, new MachineName("kept"), true, soon()))
                .isInstanceOf(VmException.NoRoom.class);
        assertThat(state()).isEqualTo(MachineState.RUNNING);
        assertThat(machines.snapshotsOf(WEB)).isEmpty();
    }

    @Test
    void oneThatWaitsStartsAndGoesOnFromItsMemoryToo() {
        make(MachineSettings.DEFAULTS);
        faults.full(true);
        machines.start(WEB, PATIENT, PullListener.none(), soon()).close();
        machines.suspend(WEB, soon());
        machines.start(WEB, PATIENT, PullListener.none(), soon()).close();
        assertThat(state()).isEqualTo(MachineState.RUNNING);
    }
}
