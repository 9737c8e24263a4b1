package dev.cloche.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class MachineStateTest {
    @ParameterizedTest
    @CsvSource({
        "CREATED,created",
        "STARTING,running",
        "RUNNING,running",
        "STOPPING,stopped",
        "STOPPED,stopped",
        "FAILED,stopped",
        "SUSPENDED,suspended"
    })
    void everyStateInMemoryHasOneOnDisk(MachineState memory, String disk) {
        assertThat(memory.onDisk().word()).isEqualTo(disk);
    }

    @ParameterizedTest
    @CsvSource({"CREATED,CREATED,false", "RUNNING,STOPPED,true", "STOPPED,STOPPED,false", "SUSPENDED,SUSPENDED,false"})
    void aReloadedMachineIsNotTakenToRunAndNeedsRecoveryExactlyIfTheDiskSaysSo(
            DiskState disk, MachineState memory, boolean recovery) {
        assertThat(disk.reloaded()).isEqualTo(memory);
        assertThat(disk.needsRecovery()).isEqualTo(recovery);
    }

    @Test
    void everyStateIsNamedHere() {
        assertThat(MachineState.values()).hasSize(7);
        assertThat(DiskState.values()).hasSize(4);
    }

    @ParameterizedTest
    @EnumSource
    void everyStateLeadsSomewhereAndNotToItself(MachineState state) {
        assertThat(state.successors()).isNotEmpty().doesNotContain(state, MachineState.CREATED);
    }

    @Test
    void aMachineIsStartedFromRestAndSuspendedOnlyWhileItRuns() {
        for (MachineState state : MachineState.values()) {
            assertThat(state.successors().contains(MachineState.STARTING))
                    .as(state.word())
                    .isEqualTo(!state.live());
            assertThat(state.successors().contains(MachineState.SUSPENDED))
                    .as(state.word())
                    .isEqualTo(state == MachineState.RUNNING);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "NO,true,false",
        "NO,false,false",
        "ON_FAILURE,true,true",
        "ON_FAILURE,false,false",
        "ALWAYS,true,true",
        "ALWAYS,false,true"
    })
    void policiesSayWhoIsStartedAgain(MachineRestartPolicy policy, boolean failed, boolean restarts) {
        assertThat(policy.restarts(failed)).isEqualTo(restarts);
        assertThat(MachineRestartPolicy.parse(policy.word())).isEqualTo(policy);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-a", "A", "a_b", "a/b", "..", ".", "a b", "ä", "a\n", "a\0"})
    void namesThatCouldBeMoreThanADirectoryAreRefused(String name) {
        assertThatThrownBy(() -> new MachineName(name)).isInstanceOf(MachineException.Invalid.class);
    }

    @Test
    void namesHaveUpTo63Characters() {
        assertThat(new MachineName("0" + "-".repeat(62)).value()).hasSize(63);
        assertThatThrownBy(() -> new MachineName("a".repeat(64))).isInstanceOf(MachineException.Invalid.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"agent", "systemd", "openrc", "/sbin/init"})
    void initsAreWordsOrPaths(String init) {
        assertThat(new MachineInit(init).value()).isEqualTo(init);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "init", "sbin/init", "/sbin/init -x", "/a\"b"})
    void otherInitsAreRefused(String init) {
        assertThatThrownBy(() -> new MachineInit(init)).isInstanceOf(MachineException.Invalid.class);
    }
}
