package dev.cloche.machine;

/**
 * A machine after a change.
 *
 * @param atNextStart whether some of it is in force only when the machine is started the next time
 */
public record Changed(PersistedMachine machine, boolean atNextStart) {}
