package dev.cloche.cli.machine;

import dev.cloche.Cloche;
import dev.cloche.cli.terminal.Each;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "suspend",
        description = "Write the memory of running machines to disk and end them; start continues from there.")
final class MachineSuspendCommand implements Callable<Integer> {
    @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of machines.")
    private List<String> names = new ArrayList<>();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            return Each.of(names, name -> cloche.machines().suspend(name));
        }
    }
}
