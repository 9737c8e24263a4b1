package dev.cloche.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.image.PullListener;
import dev.cloche.machine.MachineEvent.Kind;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ExecutionInfo;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.Network;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The life of machines on VMs in memory: what their files say through every event around them. */
class MachinesTest extends MachinesInMemory {
    @Test
    void aMachineIsCreatedStartedUsedStoppedAndRemovedWithAllThatItHas() throws IOException {
        make(MachineSettings.DEFAULTS);
        assertThat(state()).isEqualTo(MachineState.CREATED);
        assertThatThrownBy(() -> make(MachineSettings.DEFAULTS)).isInstanceOf(MachineException.NameInUse.class);

        start().close();
        assertThat(state()).isEqualTo(MachineState.RUNNING);
        assertThat(store().load(WEB).status().startedAt()).isPresent();
        try (RunningMachine again = start();
                RunningMachine connected = machines.connect(WEB, soon())) {
            assertThat(vms.list()).hasSize(1);
            assertThat(again.environment()).containsKey("PATH");
            try (GuestExecution hostname = connected.ask(guest -> guest.exec(ExecRequest.of("hostname"), soon()))) {
                assertThat(new String(hostname.stdout().readAllBytes(), StandardCharsets.UTF_8))
                        .isEqualTo("web\n");
            }
        }
        assertThatThrownBy(() -> machines.remove(WEB, false, soon())).isInstanceOf(MachineException.WrongState.class);

        machines.stop(WEB, Duration.ofSeconds(1), soon());
        machines.stop(WEB, Duration.ofSeconds(1), soon());
        assertThat(state()).isEqualTo(MachineState.STOPPED);
        assertThatThrownBy(() -> machines.connect(WEB, soon())).isInstanceOf(MachineException.WrongState.class);
        assertThat(machines.remove(WEB, false, soon())).isTrue();
        assertThat(machines.remove(WEB, true, soon())).isFalse();
        assertThat(vms.list()).isEmpty();
        assertThat(machines.events())
                .extracting(MachineEvent::kind)
                .containsExactly(Kind.CREATED, Kind.STARTING, Kind.STARTED, Kind.STOPPING, Kind.STOPPED, Kind.REMOVED);
    }

    @Test
    void startsOfAMachineAtOnceGetOneVm() throws Exception {
        make(MachineSettings.DEFAULTS);
        List<Future<Boolean>> starts = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 6; i++) {
                starts.add(threads.submit(() -> {
                    start().close();
                    return true;
                }));
            }
        }
        for (Future<Boolean> start : starts) {
            assertThat(start.get()).isTrue();
        }
        assertThat(vms.list()).hasSize(1);
        assertThat(machines.events()).extracting(MachineEvent::kind).containsOnlyOnce(Kind.STARTING);
    }

    @Test
    void aStartThatFailsIsWrittenDownAndLeavesNoVmThatRuns() throws IOException {
        Path script = Files.writeString(home.resolve("script"), "#!/no/such/shell\n");
        machines.create(NewMachine.of(WEB, "base").withProvision(script), PullListener.none(), soon());
        assertThatThrownBy(this::start).isInstanceOf(VmException.class);
        assertThat(state()).isEqualTo(MachineState.FAILED);
        assertThat(store().load(WEB).status().lastError()).isPresent();
        assertThat(vms.list()).noneMatch(vm -> vm.state().live());

        Files.delete(store().directory(WEB).resolve("provision.sh"));
        assertThatThrownBy(this::start).isInstanceOf(MachineException.Unsupported.class);
        machines.change(
                WEB, machine -> machine.withSettings(machine.settings().withProvision(Optional.empty())), soon());
        start().close();
        assertThat(state()).isEqualTo(MachineState.RUNNING);
        assertThat(store().load(WEB).status().lastError()).isEmpty();
    }

    @Test
    void aFileThatSaysRunningWithoutAVmIsSettledByWhoLooks() {
        make(MachineSettings.DEFAULTS);
        store().updateState(WEB, MachineState.RUNNING);
        assertThat(state()).isEqualTo(MachineState.FAILED);
        assertThat(store().load(WEB).needsRecovery()).isFalse();
    }

    @Test
    void whoIsToBeRestartedWaitsForRecovery() {
        make(MachineSettings.DEFAULTS.withRestartPolicy(MachineRestartPolicy.ON_FAILURE));
        start().close();
        vms.kill(vm().id(), soon());
        assertThat(machines.get(WEB).needsRecovery()).isTrue();
        assertThat(state()).isEqualTo(MachineState.STOPPED);
        assertThat(machines.recover(soon()))
                .singleElement()
                .isInstanceOfSatisfying(
                        MachineView.Usable.class,
                        view -> assertThat(view.info().state()).isEqualTo(MachineState.RUNNING));
        assertThat(machines.await(WEB, Set.of(MachineState.RUNNING), soon()).state())
                .isEqualTo(MachineState.RUNNING);
    }

    @Test
    void aStopThatWasCutShortIsFinishedAndAStartCompleted() {
        make(MachineSettings.DEFAULTS);
        start().close();
        store().updateState(WEB, MachineState.STOPPING);
        assertThat(state()).isEqualTo(MachineState.STOPPING);
        machines.recover(soon());
        assertThat(state()).isEqualTo(MachineState.STOPPED);

        start().close();
        store().update(WEB, machine -> machine.withStatus(machine.status().withStartedAt(Optional.empty())));
        assertThat(state()).isEqualTo(MachineState.STARTING);
        machines.recover(soon());
        assertThat(state()).isEqualTo(MachineState.RUNNING);
    }

    @Test
    void whatCannotBeDoneIsRefusedBeforeAnythingIsMade() {
        assertThatThrownBy(() -> make(MachineSettings.DEFAULTS.withPublish(List.of("1:2/udp"))))
                .hasMessageContaining("UDP needs a network");
        MachineSettings twice =
                MachineSettings.DEFAULTS.withNetwork(Network.USER).withPublish(List.of("80:80", "127.0.0.1:80:81"));
        assertThatThrownBy(() -> make(twice)).hasMessageContaining("published twice");
        assertThat(store().list()).isEmpty();
    }

    @Test
    void anInitOfTheImageIsItsFirstCommandAndItsEndIsTheMachines() {
        make(MachineSettings.DEFAULTS.withInit(new MachineInit("/no/init")));
        assertThatThrownBy(this::start)
                .isInstanceOf(MachineException.Unsupported.class)
                .hasMessageStartingWith(
                        "The image base of the machine \"web\" has no init /no/init: there is no /no/init.");
        assertThat(state()).isEqualTo(MachineState.FAILED);

        init("/bin/yes");
        try (RunningMachine up = start()) {
            assertThat(up.<List<ExecutionInfo>>ask(guest -> guest.executions(soon())))
                    .singleElement()
                    .satisfies(init -> assertThat(init.main()).isTrue());
        }
        // Its init is not started twice by who completes a start.
        store().update(WEB, machine -> machine.withStatus(machine.status().withStartedAt(Optional.empty())));
        machines.recover(soon());
        try (RunningMachine up = machines.connect(WEB, soon())) {
            assertThat(up.<List<ExecutionInfo>>ask(guest -> guest.executions(soon())))
                    .hasSize(1);
        }
        machines.stop(WEB, Duration.ofSeconds(1), soon());
        assertThat(state()).isEqualTo(MachineState.STOPPED);
    }

    @Test
    void aChangeIsAppliedOnceUnlessTheFileIsEditedMeanwhile() {
        make(MachineSettings.DEFAULTS);
        AtomicInteger applied = new AtomicInteger();
        UnaryOperator<PersistedMachine> fourCpus = machine -> {
            applied.incrementAndGet();
            return machine.withResources(machine.resources().withCpus(4));
        };
        machines.change(WEB, fourCpus, soon());
        assertThat(applied).hasValue(1);

        MachineResources edited = store().load(WEB).resources().withMemoryMb(999);
        UnaryOperator<PersistedMachine> threeCpus = machine -> {
            if (applied.incrementAndGet() == 2) {
                store().update(WEB, now -> now.withResources(edited));
            }
            return machine.withResources(machine.resources().withCpus(3));
        };
        machines.change(WEB, threeCpus, soon());
        assertThat(applied).hasValue(3);
        assertThat(store().load(WEB).resources()).isEqualTo(edited.withCpus(3));
    }

    @Test
    void aFileThatIsEditedWhileItIsCheckedIsCheckedAgain() {
        make(MachineSettings.DEFAULTS);
        int gib = store().load(WEB).resources().diskGb();
        AtomicInteger applied = new AtomicInteger();
        assertThatThrownBy(() -> machines.change(
                        WEB,
                        machine -> {
                            if (applied.incrementAndGet() == 1) {
                                store().update(
                                                WEB,
                                                now -> now.withResources(
                                                        now.resources().withDiskGb(gib + 2)));
                            }
                            return machine.withResources(machine.resources().withDiskGb(gib + 1));
                        },
                        soon()))
                .isInstanceOf(MachineException.Invalid.class)
                .hasMessageContaining("cannot become smaller");
    }

    private void init(String program) {
        machines.change(
                WEB, machine -> machine.withSettings(machine.settings().withInit(new MachineInit(program))), soon());
    }

    @Test
    void aKeeperSeesEndsAndRestarts() {
        make(MachineSettings.DEFAULTS.withRestartPolicy(MachineRestartPolicy.ON_FAILURE));
        start().close();
        vms.kill(vm().id(), soon());
        machines.keep();
        assertThat(machines.await(WEB, Set.of(MachineState.RUNNING), soon()).state())
                .isEqualTo(MachineState.RUNNING);
        assertThat(machines.events()).extracting(MachineEvent::kind).containsOnlyOnce(Kind.RESTARTING);
    }
}
