package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.cli.terminal.ExitCodes;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(name = "rename", description = "Give a machine that does not run another name.")
final class MachineRenameCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "NAME", description = "The machine.")
    private String name = "";

    @Parameters(index = "1", paramLabel = "NEW", description = "Its new name.")
    private String next = "";

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            cloche.machines().rename(name, next);
        }
        System.out.println(next);
        return ExitCodes.OK;
    }
}
