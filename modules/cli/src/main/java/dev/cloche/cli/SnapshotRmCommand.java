package dev.cloche.cli;

import dev.cloche.Cloche;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(name = "rm", description = "Remove snapshots. Sandboxes that were restored from them go on.")
final class SnapshotRmCommand implements Callable<Integer> {
    @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of snapshots.")
    private List<String> names = new ArrayList<>();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            return Each.of(names, cloche.snapshots()::remove);
        }
    }
}
