package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.ProgressDisplay;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "adopt",
        description = {
            "Give a copy of a machine's directory an identity of its own; without one it is refused.",
            "",
            "It gets the name of its directory, boots from the disk that was copied, and publishes no ports. What the original has"
                    + " running or in memory stays the original's. To copy a machine, better use: cloche machine clone",
            ""
        })
final class MachineAdoptCommand implements Callable<Integer> {
    @Option(
            names = {"-q", "--quiet"},
            description = "Do not show the progress of a pull.")
    private boolean quiet;

    @Parameters(index = "0", paramLabel = "COPY", description = "The name of the directory.")
    private String name = "";

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open();
                ProgressDisplay progress = ProgressDisplay.forTerminal(quiet)) {
            var _ = cloche.machines().adopt(name, progress);
        }
        System.out.println(name);
        return ExitCodes.OK;
    }
}
