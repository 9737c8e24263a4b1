package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.cli.terminal.Each;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(name = "rm", description = "Remove snapshots. Sandboxes that were restored from them go on.")
public final class SnapshotRmCommand implements Callable<Integer> {
    @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of snapshots.")
    private List<String> names = new ArrayList<>();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            return Each.of(names, cloche.snapshots()::remove);
        }
    }
}
