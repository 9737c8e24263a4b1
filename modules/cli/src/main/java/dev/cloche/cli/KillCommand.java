package dev.cloche.cli;

import dev.cloche.Cloche;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(name = "kill", description = "Kill running sandboxes at once.")
final class KillCommand implements Callable<Integer> {
    @Parameters(arity = "1..*", paramLabel = "SANDBOX", description = "Names of sandboxes.")
    private List<String> names = new ArrayList<>();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            return Each.of(names, cloche::kill);
        }
    }
}
