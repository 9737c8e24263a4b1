package dev.cloche.machine;

/** Says what there is of a name: a machine, or a configuration that cannot be used. */
public sealed interface MachineEntry permits MachineEntry.Usable, BrokenMachine {
    /** Describes a machine that can be used. */
    record Usable(PersistedMachine machine) implements MachineEntry {
        @Override
        public String name() {
            return machine.name().value();
        }
    }

    /** Returns the name of its directory. */
    String name();
}
