package dev.cloche;

/**
 * A machine after a change.
 *
 * @param atNextStart whether some of the change is in force only when the machine is started the next time
 */
public record MachineChanged(MachineInfo machine, boolean atNextStart) {}
