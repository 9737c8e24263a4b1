package dev.cloche.machine;

import java.util.List;

/**
 * Describes a machine after a change.
 *
 * @param atNextStart whether some of it is in force only when the machine is started the next time
 * @param unknownKeys keys that the change has brought into its file and that mean nothing to Cloche, by name
 */
public record ChangedMachine(PersistedMachine machine, boolean atNextStart, List<String> unknownKeys) {
    public ChangedMachine {
        unknownKeys = List.copyOf(unknownKeys);
    }

    public ChangedMachine(PersistedMachine machine, boolean atNextStart) {
        this(machine, atNextStart, List.of());
    }
}
