package dev.cloche.machine;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.machine.lifecycle.ChangeRules;
import dev.cloche.vm.VmId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ChangeRulesTest {
    private static final PersistedMachine PLAIN =
            PersistedMachine.of(new MachineName("dev"), new VmId("vm-1"), Instant.EPOCH);

    @Test
    void refuseWhatClocheCannotDoWhenItIsSet() {
        assertThatThrownBy(() -> ChangeRules.check(PLAIN, asking("/boot/mine", "quiet")))
                .isInstanceOf(MachineException.Unsupported.class)
                .hasMessageContaining("would ask for kernel, cmdline, which Cloche cannot do");
        assertThatThrownBy(() -> ChangeRules.check(asking("/boot/mine", "quiet"), asking("/boot/mine", "debug")))
                .isInstanceOf(MachineException.Unsupported.class)
                .hasMessageContaining("ask for cmdline, which");
    }

    @Test
    void keepWhatAnotherProgramHasSetAndLetItBeLeftOut() {
        PersistedMachine foreign = asking("/boot/mine", "quiet");
        assertThatCode(() -> ChangeRules.check(foreign, foreign)).doesNotThrowAnyException();
        assertThatCode(() -> ChangeRules.check(foreign, PLAIN)).doesNotThrowAnyException();
    }

    private static PersistedMachine asking(String kernel, String cmdline) {
        return PLAIN.withForeign(new UnsupportedKeys(
                Optional.of(kernel), Optional.of(cmdline), List.of(), Optional.empty(), Optional.empty()));
    }
}
