package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.machine.MachineEvent;
import dev.cloche.machine.MachineEvent.Kind;
import dev.cloche.machine.MachineRestartPolicy;
import dev.cloche.machine.MachineState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Machines outlive who started them, and do not stay down when they are to be up. */
class MachineRecoveryIT extends MachinesInVms {
    /** The process that started a machine may be killed: it runs on, and what has ended is recorded, or started again. */
    @Test
    void aMachineOutlivesItsStarterAndIsRestartedByItsPolicyWhenItsVmIsKilled() throws Exception {
        Process starter = anotherProcess(MachineProcess.class, "dev");
        try {
            assertThat(starter.inputReader().readLine())
                    .as(Files.readString(home.resolve("other.log")))
                    .isEqualTo("ready");
        } finally {
            starter.destroyForcibly().waitFor();
        }
        assertThat(machines.recover().machines()).extracting(MachineInfo::state).containsExactly(MachineState.RUNNING);
        assertThat(machines.events()).extracting(MachineEvent::kind).contains(Kind.ADOPTED);
        try (Machine machine = machines.connect("dev")) {
            long now = counter(machine);
            Awaitility.await().until(() -> counter(machine) > now);
            machine.files().writeString("/root/data", "kept");
            assertThat(machine.exec("sync").exitCode()).isZero();
        }

        try (ExecutorService waiting = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<MachineInfo> failed = waiting.submit(() -> machines.await("dev", Set.of(MachineState.FAILED)));
            killGuards();
            assertThat(failed.get().lastError()).contains("the guard of its VM was killed");
        }
        MachineInfo ended = machines.get("dev");
        assertThat(ended.state()).isEqualTo(MachineState.FAILED);
        assertThat(ended.lastError()).isPresent();
        assertThat(ended.directory().resolve("config.toml")).content().contains("state = \"stopped\"");

        var _ = machines.change("dev", new MachineChange().restart(MachineRestartPolicy.ON_FAILURE));
        machines.start("dev").close();
        killVm();
        assertThat(machines.get("dev").needsRecovery()).isTrue();
        assertThat(machines.recover().machines()).extracting(MachineInfo::state).containsExactly(MachineState.RUNNING);
        try (Machine machine = machines.connect("dev")) {
            assertThat(machine.files().readString("/root/data")).isEqualTo("kept");
        }
        assertThat(machines.events()).extracting(MachineEvent::kind).contains(Kind.RESTARTING);

        // A process that stays does it at once.
        cloche.adopt();
        killGuards();
        Awaitility.await().until(() -> restarts() == 2 && machines.get("dev").state() == MachineState.RUNNING);
        machines.stop("dev", GRACE);
        assertThat(restarts()).isEqualTo(2);
        assertThat(machines.get("dev").state()).isEqualTo(MachineState.STOPPED);
    }

    private long restarts() {
        return machines.events().stream()
                .filter(event -> event.kind() == Kind.RESTARTING)
                .count();
    }

    /** The guard, and by the kernel its QEMU: as a crash of the host, but for the host. */
    private void killVm() throws IOException {
        killGuards();
        Awaitility.await().until(() -> machines.get("dev").state() != MachineState.RUNNING);
    }

    private void killGuards() throws IOException {
        try (Stream<Path> vms = Files.list(home.resolve("state/vms"))) {
            for (Path vm : vms.toList()) {
                String guard = Files.readString(vm.resolve("guard.json"));
                long pid = Long.parseLong(guard.replaceAll("(?s).*\"pid\"\\s*:\\s*(\\d+).*", "$1"));
                ProcessHandle process = ProcessHandle.of(pid).orElseThrow();
                process.destroyForcibly();
                process.onExit().join();
            }
        }
    }
}
