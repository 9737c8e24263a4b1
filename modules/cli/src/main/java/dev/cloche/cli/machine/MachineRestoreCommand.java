package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.cli.terminal.ExitCodes;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "restore",
        description = "Put a machine that does not run back to a snapshot of it; what was written since is lost.")
final class MachineRestoreCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "NAME", description = "The machine.")
    private String name = "";

    @Parameters(index = "1", paramLabel = "SNAPSHOT", description = "The name of the snapshot.")
    private String snapshot = "";

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            cloche.machines().restore(name, snapshot);
        }
        System.out.println(snapshot);
        return ExitCodes.OK;
    }
}
