package dev.cloche.machine.lifecycle;

import dev.cloche.machine.MachineException;
import dev.cloche.machine.PersistedMachine;
import java.util.List;

/** Refuses what files may say and this Cloche cannot do, before any effect; it is never ignored. Pure. */
final class SupportRules {
    private SupportRules() {}

    /** @throws MachineException.Unsupported if a machine asks for what Cloche cannot do */
    static void check(PersistedMachine machine) {
        List<String> foreign = machine.foreign().keys();
        if (!foreign.isEmpty()) {
            throw refused(machine, "asks for " + String.join(", ", foreign) + ", which Cloche cannot do", "these keys");
        }
        var _ = MachineNetwork.spec(machine.settings());
    }

    private static MachineException refused(PersistedMachine machine, String what, String keys) {
        return new MachineException.Unsupported(
                "The machine \"" + machine.name() + "\" " + what + ".",
                "Leave out " + keys + "; of one that exists, with: cloche.machines().replaceConfiguration(\""
                        + machine.name() + "\", …)");
    }
}
