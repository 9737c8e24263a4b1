package dev.cloche.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.image.PullListener;
import dev.cloche.machine.config.MachineDirectoryRemoval;
import dev.cloche.vm.Network;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Directories of machines that were copied, moved, deleted and put back by hand: one of them is the machine, at most. */
class MachineCopiesTest extends MachinesInMemory {
    private static final MachineName TWO = new MachineName("two");
    private static final MachineName THREE = new MachineName("three");

    @Test
    void aCopyIsRefusedAndTouchesNothingOfARunningOriginal() throws IOException {
        make(MachineSettings.DEFAULTS);
        start().close();
        copyByHand("web", "two");

        assertThat(brokenNames()).containsExactly("two");
        for (Consumer<MachineName> use : List.<Consumer<MachineName>>of(
                name -> machines.connect(name, soon()).close(),
                name -> machines.start(name, Duration.ZERO, PullListener.none(), soon())
                        .close(),
                name -> machines.stop(name, Duration.ZERO, soon()),
                name -> machines.suspend(name, soon()),
                name -> machines.remove(name, false, soon()),
                name -> machines.snapshot(name, THREE, false, soon()),
                name -> machines.rename(name, THREE, soon()),
                name -> machines.copy(name, THREE, false, soon()),
                name -> machines.get(name),
                name -> store().updateState(name, MachineState.STOPPED))) {
            assertThatThrownBy(() -> use.accept(TWO)).isInstanceOfSatisfying(MachineException.Broken.class, refused -> {
                assertThat(refused).hasMessageContaining("vm_id is that of the machine \"web\"");
                assertThat(refused.remedy()).contains("cloche.machines().adopt(\"two\")", "cloche.machines().copy(");
            });
        }
        machines.recover(soon());
        assertThat(state()).isEqualTo(MachineState.RUNNING);

        assertThat(machines.remove(TWO, true, soon())).isTrue();
        assertThat(state()).isEqualTo(MachineState.RUNNING);
        assertThat(pins()).containsExactly(id(WEB));
        machines.connect(WEB, soon()).close();
    }

    @Test
    void aCopyOfASuspendedMachineLeavesItsMemory() throws IOException {
        make(MachineSettings.DEFAULTS);
        start().close();
        machines.suspend(WEB, soon());
        copyByHand("web", "two");
        assertThatThrownBy(() -> machines.stop(TWO, Duration.ZERO, soon())).isInstanceOf(MachineException.Broken.class);
        assertThat(machines.remove(TWO, true, soon())).isTrue();
        assertThat(vms.snapshots()).hasSize(1);
        start().close();
        assertThat(state()).isEqualTo(MachineState.RUNNING);
    }

    @Test
    void aMachineThatWasMovedByHandIsItselfAndItsCopyIsNot() throws IOException {
        make(MachineSettings.DEFAULTS);
        start().close();
        copyByHand("web", "three");
        moveByHand("web", "two");
        assertThat(brokenNames()).containsExactly("three");
        machines.connect(TWO, soon()).close();
        machines.stop(TWO, Duration.ZERO, soon());
        // What was seen of it is known by its new name too, when it has been put back from a backup there.
        copyByHand("two", "backup");
        deleteByHand("two");
        moveByHand("backup", "two");
        assertThat(brokenNames()).containsExactly("three");
        assertThat(machines.get(TWO).state()).isEqualTo(MachineState.STOPPED);
    }

    @Test
    void aMachineThatWasRenamedIsItselfAndItsCopyIsNot() throws IOException {
        make(MachineSettings.DEFAULTS);
        copyByHand("web", "three");
        machines.rename(WEB, TWO, soon());
        assertThat(brokenNames()).containsExactly("three");
        copyByHand("two", "backup");
        deleteByHand("two");
        moveByHand("backup", "two");
        assertThat(brokenNames()).containsExactly("three");
        machines.start(TWO, Duration.ZERO, PullListener.none(), soon()).close();
    }

    @Test
    void aBackupThatTakesThePlaceOfItsOriginalIsTheMachine() throws IOException {
        make(MachineSettings.DEFAULTS);
        start().close();
        machines.suspend(WEB, soon());
        copyByHand("web", "backup");
        deleteByHand("web");
        moveByHand("backup", "web");
        start().close();
        assertThat(state()).isEqualTo(MachineState.RUNNING);
        assertThat(pins()).containsExactly(id(WEB));
    }

    @Test
    void aCopyUnderAnotherNameIsTheMachineWhenItsOriginalIsGone() throws IOException {
        make(MachineSettings.DEFAULTS);
        copyByHand("web", "two");
        deleteByHand("web");
        machines.start(TWO, Duration.ZERO, PullListener.none(), soon()).close();
        assertThat(brokenNames()).isEmpty();
        // From then on it is the original.
        copyByHand("two", "three");
        assertThat(brokenNames()).containsExactly("three");
    }

    @Test
    void oneOfTwoCopiesWhoseOriginalIsGoneHasToBeAdopted() throws IOException {
        make(MachineSettings.DEFAULTS);
        start().close();
        machines.suspend(WEB, soon());
        copyByHand("web", "two");
        copyByHand("web", "three");
        deleteByHand("web");
        assertThat(brokenNames()).containsExactly("three", "two");
        assertThatThrownBy(() -> machines.start(TWO, Duration.ZERO, PullListener.none(), soon()))
                .hasMessageContaining("its vm_id is also that of \"three\"");
        assertThat(machines.sweep()).isEmpty();
        assertThat(vms.snapshots()).hasSize(1);

        machines.adopt(TWO, PullListener.none(), soon());
        assertThat(brokenNames()).isEmpty();
        assertThat(machines.get(THREE).state()).isEqualTo(MachineState.SUSPENDED);
        machines.start(THREE, Duration.ZERO, PullListener.none(), soon()).close();
        machines.start(TWO, Duration.ZERO, PullListener.none(), soon()).close();
        assertThat(vms.list()).hasSize(2);
    }

    @Test
    void anAdoptedCopyHasAnIdentityOfItsOwnAndNothingOfTheOriginals() throws IOException {
        make(MachineSettings.DEFAULTS);
        start().close();
        machines.suspend(WEB, soon());
        copyByHand("web", "two");
        PersistedMachine adopted = machines.adopt(TWO, PullListener.none(), soon());
        assertThat(adopted.vmId()).isNotEqualTo(store().load(WEB).vmId());
        assertThat(adopted.status().state()).isEqualTo(DiskState.STOPPED);
        assertThat(pins()).containsExactlyInAnyOrder(id(WEB), id(TWO));
        machines.start(TWO, Duration.ZERO, PullListener.none(), soon()).close();
        assertThat(machines.remove(TWO, true, soon())).isTrue();
        assertThat(state()).isEqualTo(MachineState.SUSPENDED);
        start().close();
        assertThat(machines.orphans()).isEmpty();
    }

    @Test
    void anAdoptedCopyPublishesNoPorts() throws IOException {
        make(MachineSettings.DEFAULTS.withNetwork(Network.USER).withPublish(List.of("8080:80")));
        copyByHand("web", "two");
        PersistedMachine adopted = machines.adopt(TWO, PullListener.none(), soon());
        assertThat(adopted.settings().publish()).isEmpty();
        assertThat(adopted.settings().network()).isEqualTo(Network.USER);
        assertThat(adopted.status().state()).isEqualTo(DiskState.CREATED);
    }

    @Test
    void aCopyThatStillHasTheNameOfItsOriginalIsNamedByItsAdoption() throws IOException {
        make(MachineSettings.DEFAULTS);
        copyByHand("web", "two");
        Files.copy(
                directory("web").resolve("config.toml"),
                directory("two").resolve("config.toml"),
                StandardCopyOption.REPLACE_EXISTING);
        assertThat(brokenNames()).containsExactly("two");
        assertThat(machines.adopt(TWO, PullListener.none(), soon()).name()).isEqualTo(TWO);
        assertThat(brokenNames()).isEmpty();
    }

    @Test
    void whatIsNoCopyIsNotAdopted() throws IOException {
        make(MachineSettings.DEFAULTS);
        for (String moved : List.of("web", "two")) {
            assertThatThrownBy(() -> machines.adopt(new MachineName(moved), PullListener.none(), soon()))
                    .isInstanceOf(MachineException.Invalid.class)
                    .hasMessageContaining("is no copy");
            if (moved.equals("web")) {
                Files.move(directory("web"), directory("two"));
            }
        }
        assertThatThrownBy(() -> machines.adopt(THREE, PullListener.none(), soon()))
                .isInstanceOf(MachineException.NotFound.class);
        assertThat(pins()).hasSize(1);
    }

    @Test
    void theFirstUseRecordsWhoseAMachineOfAnEarlierVersionIs() throws IOException {
        make(MachineSettings.DEFAULTS);
        make("other");
        MachineDirectoryRemoval.delete(directory(".owners"));
        start().close();
        copyByHand("web", "two");
        copyByHand("other", "three");
        // Of the other one nothing says which it is: neither is used.
        assertThat(brokenNames()).containsExactly("other", "three", "two");
        machines.connect(WEB, soon()).close();
        machines.adopt(THREE, PullListener.none(), soon());
        assertThat(brokenNames()).containsExactly("two");
    }

    @Test
    void aRecordThatIsDamagedIsAsNone() throws IOException {
        make(MachineSettings.DEFAULTS);
        Path record = directory(".owners").resolve(id(WEB));
        for (String text : List.of("", "1 99999999999999999999 web\n", "2 1 web\n", "x".repeat(10_000))) {
            Files.writeString(record, text);
            start().close();
            assertThat(record).content().startsWith("1 ").endsWith(" web\n");
            machines.stop(WEB, Duration.ZERO, soon());
        }
    }

    @Test
    void noCopyTakesThePlaceOfAnOriginalWhoseFileIsBeingMended() throws IOException {
        make(MachineSettings.DEFAULTS);
        start().close();
        copyByHand("web", "two");
        Path config = directory("web").resolve("config.toml");
        String good = Files.readString(config);
        for (String bad : List.of("", "=", good.replace("vm_id", "vm-id"), good.replace("cpus = ", "cpus = x"))) {
            Files.writeString(config, bad);
            assertThat(brokenNames()).containsExactly("two", "web");
            assertThat(machines.remove(TWO, true, soon())).isTrue();
            assertThat(vm().state().live()).isTrue();
            Files.writeString(config, good);
            copyByHand("web", "two");
        }
        assertThat(state()).isEqualTo(MachineState.RUNNING);
    }

    private List<String> brokenNames() {
        return machines.list().stream()
                .filter(MachineView.Broken.class::isInstance)
                .map(view -> ((MachineView.Broken) view).entry().name())
                .toList();
    }

    private String id(MachineName name) {
        return store().load(name).vmId().value();
    }
}
