package dev.cloche.machine;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.machine.lifecycle.Changes;
import dev.cloche.vm.VmId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ChangesTest {
    private static final PersistedMachine PLAIN =
            PersistedMachine.of(new MachineName("dev"), new VmId("vm-1"), Instant.EPOCH);

    @Test
    void refuseWhatClocheCannotDoWhenItIsSet() {
        assertThatThrownBy(() -> Changes.check(PLAIN, asking("/boot/mine", "quiet")))
                .isInstanceOf(MachineException.Unsupported.class)
                .hasMessageContaining("would ask for kernel, cmdline, which Cloche cannot do");
        assertThatThrownBy(() -> Changes.check(asking("/boot/mine", "quiet"), asking("/boot/mine", "debug")))
                .isInstanceOf(MachineException.Unsupported.class)
                .hasMessageContaining("ask for cmdline, which");
    }

    @Test
    void keepWhatAnotherProgramHasSetAndLetItBeLeftOut() {
        PersistedMachine foreign = asking("/boot/mine", "quiet");
        assertThatCode(() -> Changes.check(foreign, foreign)).doesNotThrowAnyException();
        assertThatCode(() -> Changes.check(foreign, PLAIN)).doesNotThrowAnyException();
    }

    private static PersistedMachine asking(String kernel, String cmdline) {
        return PLAIN.withForeign(new ForeignParts(
                Optional.of(kernel), Optional.of(cmdline), List.of(), Optional.empty(), Optional.empty()));
    }
}
