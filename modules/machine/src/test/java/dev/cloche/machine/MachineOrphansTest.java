package dev.cloche.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageReference;
import dev.cloche.image.PullListener;
import dev.cloche.image.PullPolicy;
import dev.cloche.machine.config.MachineDirectoryRemoval;
import dev.cloche.machine.lifecycle.MachineContext;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What machines that are gone have left outside of their directories goes; what is another's stays. */
class MachineOrphansTest extends MachinesInMemory {
    private static final MachineName OTHER = new MachineName("other");

    @ParameterizedTest
    @ValueSource(strings = {"vm_id = .*\n", "(?s).*"})
    void aBrokenMachineThatDoesNotSayItsIdLeavesNothingBehind(String lost) throws IOException {
        make(MachineSettings.DEFAULTS);
        start().close();
        machines.suspend(WEB, soon());
        start().close();
        machines.snapshot(WEB, OTHER, true, soon());
        lose(lost);
        assertThat(machines.orphans()).isEmpty();
        assertThatThrownBy(() -> machines.remove(WEB, false, soon())).isInstanceOf(MachineException.Broken.class);
        assertThat(vm().state().live()).isTrue();
        assertThat(machines.remove(WEB, true, soon())).isTrue();
        assertNothingIsLeft();
    }

    @Test
    void aBrokenMachineThatIsSuspendedLeavesNoMemory() throws IOException {
        make(MachineSettings.DEFAULTS);
        start().close();
        machines.suspend(WEB, soon());
        lose("cpus = .*\n");
        Path config = directory("web").resolve("config.toml");
        Files.writeString(config, Files.readString(config) + "cpus = 0\n");
        assertThat(machines.remove(WEB, true, soon())).isTrue();
        assertNothingIsLeft();
    }

    @Test
    void aBrokenMachineOfAnEarlierVersionIsFoundByWhatItsImageIsHeldFor() throws IOException {
        make(MachineSettings.DEFAULTS);
        start().close();
        MachineDirectoryRemoval.delete(directory(".owners"));
        lose("vm_id = .*\n");
        assertThat(machines.orphans()).isEmpty();
        assertThat(machines.remove(WEB, true, soon())).isTrue();
        assertNothingIsLeft();
    }

    @Test
    void whatADirectoryThatWasDeletedByHandHadGoesWithTheNextThatLooks() throws IOException {
        make(MachineSettings.DEFAULTS);
        start().close();
        machines.suspend(WEB, soon());
        start().close();
        deleteByHand("web");
        assertThat(machines.orphans())
                .singleElement()
                .satisfies(orphan -> assertThat(orphan.what())
                        .contains("the machine \"web\", which is gone", "a VM", "a hold on an image"));
        machines.recover(soon());
        assertNothingIsLeft();
    }

    @Test
    void whatIsBeingMadeIsNoOrphan() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        VmId id = VmId.random();
        MachineContext context = context();
        Thread maker = Thread.ofVirtual()
                .start(() -> context.creating(id, WEB, () -> {
                    pin(id);
                    begun.countDown();
                    try {
                        go.await();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    return id;
                }));
        begun.await();
        assertThat(machines.orphans()).isEmpty();
        assertThat(machines.sweep()).isEmpty();
        assertThat(pins()).containsExactly(id.value());
        go.countDown();
        maker.join();
        // It was not made in the end, as if its maker had been killed there.
        assertThat(machines.sweep()).extracting(OrphanedMachine::id).containsExactly(id);
        assertNothingIsLeft();
    }

    @Test
    void aMachineThatCannotBeMadeLeavesNothing() throws IOException {
        VmId id = VmId.random();
        assertThatThrownBy(() -> context().creating(id, WEB, () -> {
                    pin(id);
                    throw new IllegalStateException("no space");
                }))
                .hasMessage("no space");
        assertNothingIsLeft();
    }

    @Test
    void whatNothingWasRecordedOfGoesOnlyWhenThatIsAskedFor() throws IOException {
        VmId id = VmId.random();
        pin(id);
        machines.recover(soon());
        assertThat(machines.orphans()).hasSize(1);
        assertThat(machines.sweep()).hasSize(1);
        assertNothingIsLeft();
    }

    @Test
    void whereNoDirectoryIsThereNothingGoesByItself() throws IOException {
        make(MachineSettings.DEFAULTS);
        start().close();
        machines.suspend(WEB, soon());
        // A disk that is not mounted.
        Path base = directory("..").resolve("machines").normalize();
        Path away = base.resolveSibling("away");
        Files.move(base, away);
        machines.recover(soon());
        make(OTHER.value());
        MachineDirectoryRemoval.delete(base);
        Files.move(away, base);
        start().close();
        assertThat(state()).isEqualTo(MachineState.RUNNING);
    }

    @Test
    void anIdThatWasChangedByHandCostsNothingBeforeItsDirectoryGoes() throws IOException {
        make(MachineSettings.DEFAULTS);
        start().close();
        Path config = directory("web").resolve("config.toml");
        String good = Files.readString(config);
        Files.writeString(config, good.replaceAll("vm_id = .*\n", "vm_id = \"other\"\n"));
        assertThat(machines.sweep()).isEmpty();
        assertThat(vm().state().live()).isTrue();
        Files.writeString(config, good);
        assertThat(state()).isEqualTo(MachineState.RUNNING);
        Files.writeString(config, good.replaceAll("vm_id = .*\n", "vm_id = \"other\"\n"));
        assertThat(machines.remove(WEB, true, soon())).isTrue();
        assertNothingIsLeft();
    }

    @Test
    void theMemoryOfAnIdThatBeginsAsAnotherOneStays() throws IOException {
        make(MachineSettings.DEFAULTS);
        start().close();
        machines.suspend(WEB, soon());
        String id = store().load(WEB).vmId().value();
        make("other");
        Path config = directory("other").resolve("config.toml");
        String text = Files.readString(config);
        machines.remove(OTHER, true, soon());
        Files.createDirectories(directory("other"));
        Files.writeString(config, text.replaceAll("vm_id = .*\n", "vm_id = \"" + id.substring(0, 3) + "\"\n"));
        assertThat(machines.remove(OTHER, true, soon())).isTrue();
        assertThat(vms.snapshots()).hasSize(1);
    }

    private void lose(String pattern) throws IOException {
        Path config = directory("web").resolve("config.toml");
        Files.writeString(config, Files.readString(config).replaceFirst(pattern, ""));
    }

    private void pin(VmId id) {
        var _ = images.acquire(
                ImageReference.parse("base"),
                PullPolicy.MISSING,
                new ImageHolder("machine", id.value(), "web"),
                PullListener.none(),
                Deadline.after(Duration.ofMinutes(1)));
    }

    private void assertNothingIsLeft() throws IOException {
        assertThat(vms.list()).isEmpty();
        assertThat(vms.snapshots()).isEmpty();
        assertThat(pins()).isEmpty();
        assertThat(machines.orphans()).isEmpty();
        for (String records : new String[] {".owners", ".locks"}) {
            if (Files.exists(directory(records))) {
                assertThat(directory(records)).isEmptyDirectory();
            }
        }
    }
}
