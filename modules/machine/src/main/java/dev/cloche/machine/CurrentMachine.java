package dev.cloche.machine;

import dev.cloche.vm.VmInfo;
import java.util.Optional;

/**
 * Describes a machine as it is now.
 *
 * @param state what its file and its VM say together
 * @param needsRecovery whether its file says that it runs, and nothing of it does
 */
public record CurrentMachine(PersistedMachine machine, MachineState state, boolean needsRecovery) {
    /**
     * Holds what the file says against the VM, if there is one.
     *
     * @param inWork whether a process works on the machine
     */
    public static CurrentMachine of(PersistedMachine machine, Optional<VmInfo> vm, boolean inWork) {
        boolean runs = vm.filter(info -> info.state().live()).isPresent();
        DiskState disk = machine.status().state();
        boolean brought = machine.status().startedAt().isPresent();
        if (disk == DiskState.RUNNING) {
            MachineState state =
                    brought && runs ? MachineState.RUNNING : runs || inWork ? MachineState.STARTING : disk.reloaded();
            return new CurrentMachine(machine, state, !runs && !inWork);
        }
        MachineState rest =
                disk == DiskState.STOPPED && machine.status().lastError().isPresent()
                        ? MachineState.FAILED
                        : disk.reloaded();
        return new CurrentMachine(machine, runs ? MachineState.STOPPING : rest, false);
    }
}
