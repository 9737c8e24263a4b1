package dev.cloche;

import dev.cloche.machine.BrokenMachine;
import dev.cloche.machine.MachineManager;
import dev.cloche.machine.MachineView;
import java.util.ArrayList;
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

    static MachineList of(List<MachineView> views, MachineManager room) {
        List<MachineInfo> machines = new ArrayList<>();
        List<BrokenMachine> broken = new ArrayList<>();
        for (MachineView view : views) {
            switch (view) {
                case MachineView.Usable(var info) -> machines.add(MachineInfo.of(info, room));
                case MachineView.Broken(var entry) -> broken.add(entry);
            }
        }
        return new MachineList(machines, broken);
    }
}
