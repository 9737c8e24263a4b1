package dev.cloche.cli.pool;

import dev.cloche.Cloche;
import dev.cloche.cli.terminal.ErrorReport;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.ProgressDisplay;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "fill",
        description = {
            "Make what the pools are short of, and wait for it.",
            "",
            "This happens by itself in the background after `cloche pool set` and after each start that took a VM."
        })
public final class PoolFillCommand implements Callable<Integer> {
    @Option(
            names = {"-q", "--quiet"},
            description = "Do not show the progress of a pull.")
    private boolean quiet;

    @Override
    public Integer call() {
        List<String> errors = errors();
        errors.forEach(error -> ErrorReport.print(error, "See: cloche pool stats", System.err));
        return errors.isEmpty() ? ExitCodes.OK : ExitCodes.FAILURE;
    }

    private List<String> errors() {
        try (Cloche cloche = Cloche.open();
                ProgressDisplay progress = ProgressDisplay.forTerminal(quiet)) {
            return cloche.pools().fill(progress);
        }
    }
}
