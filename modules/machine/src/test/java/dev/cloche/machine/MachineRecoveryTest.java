package dev.cloche.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.Deadline;
import dev.cloche.machine.MachineEvent.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** MachineManager whose VM is alive but not well, or whose start was cut short. */
class MachineRecoveryTest extends MachinesInMemory {
    private static final Duration PATIENCE = Duration.ofMillis(300);

    @Test
    void oneThatIsAliveAndAnswersIsAdopted() {
        make(MachineSettings.DEFAULTS);
        start().close();
        machines.recover(soon());
        assertThat(state()).isEqualTo(MachineState.RUNNING);
        assertThat(machines.events().getLast().kind()).isEqualTo(Kind.ADOPTED);
    }

    @Test
    void oneThatIsAliveAndDoesNotAnswerIsKilledAndStaysSettled() {
        make(MachineSettings.DEFAULTS);
        start().close();
        vms.pause(vm().id(), soon());
        machines.recover(Deadline.after(PATIENCE));
        assertSettled();
        machines.recover(soon());
        assertSettled();
    }

    private void assertSettled() {
        assertThat(state()).isEqualTo(MachineState.FAILED);
        assertThat(status().lastError().orElseThrow()).startsWith("its guest did not answer");
        assertThat(machines.get(WEB).needsRecovery()).isFalse();
        assertThat(vms.list()).noneMatch(vm -> vm.state().live());
    }

    @Test
    void oneThatDoesNotTakeItsIdentityIsStartedAgainIfItsPolicySaysSo() {
        make(MachineSettings.DEFAULTS.withRestartPolicy(MachineRestartPolicy.ON_FAILURE));
        start().close();
        store().update(WEB, machine -> machine.withStatus(machine.status().withStartedAt(Optional.empty())));
        faults.refuseIdentities(1);
        machines.recover(soon());
        assertThat(state()).isEqualTo(MachineState.RUNNING);
        assertThat(machines.events()).extracting(MachineEvent::kind).containsSubsequence(Kind.RESTARTING, Kind.STARTED);
    }

    @Test
    void oneThatCannotEvenBeginToStartAgainHasFailedAndIsNotTriedForEver() throws IOException {
        make(MachineSettings.DEFAULTS.withRestartPolicy(MachineRestartPolicy.ON_FAILURE));
        start().close();
        vms.kill(vm().id(), soon());
        Path config = home.resolve("machines/web/config.toml");
        Files.writeString(config, "kernel = \"/boot/mine\"\n" + Files.readString(config));
        machines.recover(soon());
        assertThat(state()).isEqualTo(MachineState.FAILED);
        assertThat(status().lastError().orElseThrow()).contains("kernel");
        machines.recover(soon());
        assertThat(machines.events())
                .extracting(MachineEvent::kind)
                .containsOnlyOnce(Kind.RESTARTING)
                .endsWith(Kind.RESTARTING, Kind.FAILED);
    }

    @Test
    void aSuspendedOneIsLeftAlone() {
        make(MachineSettings.DEFAULTS.withRestartPolicy(MachineRestartPolicy.ALWAYS));
        start().close();
        machines.suspend(WEB, soon());
        machines.recover(soon());
        assertThat(state()).isEqualTo(MachineState.SUSPENDED);
        assertThat(machines.get(WEB).needsRecovery()).isFalse();
    }
}
