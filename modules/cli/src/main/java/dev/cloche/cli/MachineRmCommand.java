package dev.cloche.cli;

import dev.cloche.Cloche;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "rm", description = "Remove machines with their disks and all that belongs to them.")
final class MachineRmCommand implements Callable<Integer> {
    @Option(
            names = {"-f", "--force"},
            description = "Also those that run or are broken; one that is gone is no error.")
    private boolean force;

    @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of machines.")
    private List<String> names = new ArrayList<>();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            return Each.of(names, name -> cloche.machines().remove(name, force));
        }
    }
}
