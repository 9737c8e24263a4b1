package dev.cloche.cli;

import dev.cloche.Cloche;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "rm", description = "Remove sandboxes that have ended, with all that belongs to them.")
final class RmCommand implements Callable<Integer> {
    @Option(
            names = {"-f", "--force"},
            description = "Kill those that run.")
    private boolean force;

    @Parameters(arity = "1..*", paramLabel = "SANDBOX", description = "Names of sandboxes.")
    private List<String> names = new ArrayList<>();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            return Each.of(names, name -> cloche.remove(name, force));
        }
    }
}
