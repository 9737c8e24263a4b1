package dev.cloche;

import dev.cloche.machine.MachineSettings;
import dev.cloche.machine.MachineView;
import dev.cloche.machine.PersistedMachine;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Between the words of the room of machines and those of the library. */
final class MachineConversions {
    private MachineConversions() {}

    /** As files say it. */
    static String word(Network network) {
        return network.name().toLowerCase(Locale.ROOT);
    }

    static MachineInfo info(dev.cloche.machine.MachineInfo info, dev.cloche.machine.Machines room) {
        PersistedMachine machine = info.machine();
        MachineSettings settings = machine.settings();
        return new MachineInfo(
                machine.name().value(),
                info.state().word(),
                info.needsRecovery(),
                machine.origin().image(),
                machine.resources().cpus(),
                machine.resources().memoryMb(),
                machine.resources().diskGb(),
                settings.network(),
                settings.publish(),
                settings.init().value(),
                settings.env(),
                settings.labels(),
                settings.autostart(),
                settings.restartPolicy().word(),
                machine.createdAt(),
                machine.status().startedAt(),
                machine.status().provisionedAt(),
                machine.status().ipAddress(),
                machine.status().lastError(),
                machine.status().lastEnd(),
                Conversions.ports(room.publishedPorts(machine)),
                room.store().directory(machine.name()));
    }

    static MachineList list(List<MachineView> views, dev.cloche.machine.Machines room) {
        List<MachineInfo> machines = new ArrayList<>();
        List<BrokenMachine> broken = new ArrayList<>();
        for (MachineView view : views) {
            switch (view) {
                case MachineView.Sound(var info) -> machines.add(info(info, room));
                case MachineView.Broken(var entry) ->
                    broken.add(new BrokenMachine(entry.name(), entry.file(), entry.line(), entry.reason()));
            }
        }
        return new MachineList(machines, broken);
    }

    static MachineEvent event(dev.cloche.machine.MachineEvent event) {
        return new MachineEvent(event.time(), event.machine(), event.what(), event.detail());
    }
}
