package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.ProgressDisplay;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "import",
        description = "Make a machine of a file that cloche machine export wrote. A damaged one leaves nothing behind.")
final class MachineImportCommand implements Callable<Integer> {
    @Option(names = "--name", paramLabel = "NAME", description = "Its name (default: the one that it had).")
    private @Nullable String name;

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
            System.out.println(cloche.machines()
                    .importFrom(file, Optional.ofNullable(name), progress)
                    .name());
        }
        return ExitCodes.OK;
    }
}
