package dev.cloche.cli.host;

import dev.cloche.Cloche;
import dev.cloche.ClocheOptions;
import dev.cloche.cli.terminal.ExitCodes;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "restore",
        description = {
            "Put a copy in the place of the records, where these are lost or damaged. They are kept as catalog.db.replaced.",
            "No other process may use the state root; sandboxes may run, and those that the copy knows are found again."
        })
public final class CatalogRestoreCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..1",
            paramLabel = "FILE",
            description =
                    "A copy that 'cloche catalog backup' has made; without it, the one that is made by itself every day.")
    private @Nullable Path copy;

    @Override
    public Integer call() {
        System.out.println(Cloche.catalog(ClocheOptions.ofEnvironment()).restore(Optional.ofNullable(copy)));
        return ExitCodes.OK;
    }
}
