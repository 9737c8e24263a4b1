package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.cli.terminal.ExitCodes;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "rename",
        description = "Give a sandbox another name. The host name of its guest follows with its next start.")
public final class RenameCommand implements Callable<Integer> {
    @Parameters(index = "0", paramLabel = "SANDBOX", description = "Its name.")
    private String name = "";

    @Parameters(index = "1", paramLabel = "NEW-NAME", description = "The name that it gets.")
    private String newName = "";

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            cloche.sandboxes().rename(name, newName);
        }
        return ExitCodes.OK;
    }
}
