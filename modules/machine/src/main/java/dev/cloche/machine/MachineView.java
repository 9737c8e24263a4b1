package dev.cloche.machine;

/** Says what a list of machines shows. */
public sealed interface MachineView {
    record Usable(CurrentMachine info) implements MachineView {}

    record Broken(BrokenMachine entry) implements MachineView {}
}
