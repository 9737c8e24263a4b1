package dev.cloche;

import java.util.List;

/**
 * A machine after a change.
 *
 * @param atNextStart whether some of the change is in force only when the machine is started the next time
 * @param unknownKeys keys that the change has brought into its file and that mean nothing to Cloche, by name
 */
public record MachineChanged(MachineInfo machine, boolean atNextStart, List<String> unknownKeys) {
    public MachineChanged {
        unknownKeys = List.copyOf(unknownKeys);
    }
}
