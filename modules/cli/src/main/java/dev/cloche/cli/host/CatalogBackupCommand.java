package dev.cloche.cli.host;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.cli.terminal.ExitCodes;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "backup",
        description = {
            "Copy the records, as of one moment, while they are in use.",
            "'cloche catalog restore' puts it in their place."
        })
public final class CatalogBackupCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "The copy; it must not exist yet.")
    private Path target = Path.of("");

    @Override
    public Integer call() {
        Cloche.catalog(ClocheOptions.ofEnvironment()).backup(target);
        System.out.println(target);
        return ExitCodes.OK;
    }
}
