package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.ProgressDisplay;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "apply",
        description = {
            "Make the machine that a TOML file describes, or change it to match.",
            "",
            "Keys: name, image, cpus, memory_mb, disk_gb, init, network, publish, env, labels, autostart,"
                    + " restart_policy, provision. What is left out stays as it is.",
            ""
        })
final class MachineApplyCommand implements Callable<Integer> {
    @Option(
            names = {"-q", "--quiet"},
            description = "Do not show the progress of a pull.")
    private boolean quiet;

    @Parameters(index = "0", paramLabel = "FILE", description = "The file.")
    private Path file = Path.of("");

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open();
                ProgressDisplay progress = ProgressDisplay.forTerminal(quiet)) {
            MachineSetCommand.report(cloche.machines().apply(file, progress));
        }
        return ExitCodes.OK;
    }
}
