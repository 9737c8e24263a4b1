package dev.cloche;

import java.util.List;

/**
 * All machines of a host, each part by name.
 *
 * @param broken those whose configurations cannot be used, which are never hidden
 */
public record MachineList(List<MachineInfo> machines, List<BrokenMachine> broken) {
    public MachineList {
        machines = List.copyOf(machines);
        broken = List.copyOf(broken);
    }
}
