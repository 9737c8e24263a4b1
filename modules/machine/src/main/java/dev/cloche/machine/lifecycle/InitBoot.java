package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.base.Printable;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineInit;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ExecutionInfo;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.SpawnException;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Gives process 1 of a guest to the init of its image, and waits until that has brought the system up. A guest whose init runs
 * already, because it was continued or its start was cut short, is only waited for.
 */
final class InitBoot {
    private static final Duration STEP_LIMIT = Duration.ofSeconds(60);
    private static final int MOST_WORDS = 4096;

    private final PersistedMachine machine;
    private final Guest guest;
    private final Map<String, String> environment;

    InitBoot(PersistedMachine machine, Guest guest, Map<String, String> environment) {
        this.machine = machine;
        this.guest = guest;
        this.environment = environment;
    }

    /**
     * Returns when the system is up.
     *
     * @return what is not well with it nevertheless
     * @throws MachineException.Unsupported if the image has no such init
     * @throws MachineException.InitFailed if it cannot be executed, or ends before the system is up
     */
    Optional<String> run(Deadline deadline) {
        MachineInit init = machine.settings().init();
        if (init.equals(MachineInit.AGENT)) {
            return Optional.empty();
        }
        InitKind kind = InitKind.of(init);
        try {
            if (guest.executions(deadline.orAfter(STEP_LIMIT)).stream().noneMatch(ExecutionInfo::main)) {
                handOver(kind, deadline);
            }
            return switch (kind.readiness()) {
                case AT_ONCE -> Optional.empty();
                case NOTIFIED -> {
                    guest.awaitInit(deadline);
                    yield failedUnits(deadline);
                }
                case READS_ITS_FIFO -> {
                    awaitFifo(deadline);
                    yield Optional.empty();
                }
            };
        } catch (GuestException.ConnectionLost | VmException.WrongState lost) {
            throw new MachineException.InitFailed(machine.name(), "ended before the system was up", lost);
        } catch (SpawnException | GuestException.Refused refused) {
            throw new MachineException.InitFailed(machine.name(), "did not bring the system up", refused);
        }
    }

    private void handOver(InitKind kind, Deadline deadline) {
        Map<String, String> variables = new LinkedHashMap<>(environment);
        variables.putAll(kind.environment());
        for (String program : kind.programs()) {
            ExecRequest request =
                    ExecRequest.of(program).withEnvironment(variables).asInit(kind.stopSignal());
            try {
                guest.exec(request, deadline.orAfter(STEP_LIMIT)).close();
                return;
            } catch (SpawnException.CommandNotFound elsewhere) {
                // The next one.
            }
        }
        throw new MachineException.Unsupported(
                "The image " + machine.origin().image().orElse("") + " of the machine \"" + machine.name()
                        + "\" has no init " + machine.settings().init() + ": there is no "
                        + String.join(" and no ", kind.programs()) + ".",
                "Use an image that has it, or have the agent as its init: cloche.machines().change(\"" + machine.name()
                        + "\", …)");
    }

    /** A system that is up may lack something: systemd calls it degraded. */
    private Optional<String> failedUnits(Deadline deadline) {
        List<String> units = said(
                        deadline, "systemctl", "list-units", "--state=failed", "--plain", "--no-legend", "--no-pager")
                .lines()
                .map(line -> line.strip().split("\\s+", 2)[0])
                .filter(unit -> !unit.isEmpty())
                .toList();
        return units.isEmpty()
                ? Optional.empty()
                : Optional.of("its init has brought the system up, but these units failed: "
                        + Printable.brief(String.join(", ", units)));
    }

    /** OpenRC's init opens its FIFO for reading when it is through with its last runlevel; a writer waits for that. */
    private void awaitFifo(Deadline deadline) {
        String script = "mkdir -p /run/openrc && { [ -p $0 ] || mkfifo -m 600 $0; } && : > $0";
        var _ = said(deadline, "/bin/sh", "-c", script, InitKind.OPENRC_FIFO);
    }

    private String said(Deadline deadline, String... words) {
        ExecRequest request = ExecRequest.of(words).withEnvironment(environment);
        try (GuestExecution execution = guest.exec(request, deadline.orAfter(STEP_LIMIT))) {
            String text = new String(execution.stdout().readNBytes(MOST_WORDS), StandardCharsets.UTF_8);
            var _ = execution.await(deadline);
            return text;
        } catch (IOException e) {
            throw new MachineException.InitFailed(machine.name(), "cannot be asked: " + e.getMessage(), e);
        }
    }
}
