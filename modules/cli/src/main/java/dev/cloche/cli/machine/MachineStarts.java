package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.Machines;
import dev.cloche.cli.terminal.Each;
import dev.cloche.cli.terminal.ProgressDisplay;
import java.time.Duration;
import java.util.List;

/** Starts machines for commands. */
final class MachineStarts {
    private MachineStarts() {}

    /** Starts all of them, one after the other, and prints what is wrong with one that runs. */
    static int all(List<String> names, boolean quiet, Duration waitForRoom) {
        try (Cloche cloche = Cloche.open();
                ProgressDisplay progress = ProgressDisplay.forTerminal(quiet)) {
            Machines machines = cloche.machines();
            return Each.of(names, name -> {
                cloche.machine(name)
                        .progress(progress)
                        .waitForRoom(waitForRoom)
                        .start()
                        .close();
                warn(machines, name);
            });
        }
    }

    static void warn(Machines machines, String name) {
        machines.get(name).lastError().ifPresent(error -> System.err.println("cloche: " + name + ": " + error));
    }
}
