package dev.cloche.machine;

/** Says what a list of machines shows. */
public sealed interface MachineView {
    String name();

    record Usable(CurrentMachine info) implements MachineView {
        @Override
        public String name() {
            return info.machine().name().value();
        }
    }

    record Broken(BrokenMachine entry) implements MachineView {
        @Override
        public String name() {
            return entry.name();
        }
    }
}
