package dev.cloche.cli;

import dev.cloche.Cloche;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

@Command(
        name = "recover",
        description = {
            "Hold all machines against what runs, as after a crash: what is alive is adopted, what has ended is written"
                    + " down, and started again if its restart policy says so.",
            ""
        })
final class MachineRecoverCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            cloche.machines()
                    .recover()
                    .machines()
                    .forEach(machine -> System.out.println(machine.name() + " " + machine.state()));
        }
        return ExitCodes.OK;
    }
}
