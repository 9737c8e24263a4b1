package dev.cloche.cli;

import dev.cloche.Cloche;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(name = "pause", description = "Halt running sandboxes in their memory.")
final class PauseCommand implements Callable<Integer> {
    @Parameters(arity = "1..*", paramLabel = "SANDBOX", description = "Names of sandboxes.")
    private List<String> names = new ArrayList<>();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            return Each.of(names, cloche::pause);
        }
    }
}
