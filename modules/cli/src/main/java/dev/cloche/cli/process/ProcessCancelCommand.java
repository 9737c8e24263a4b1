package dev.cloche.cli.process;

import dev.cloche.Cloche;
import dev.cloche.cli.terminal.Each;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "cancel", description = "Ask whoever drives processes to end them; does not wait until they have.")
public final class ProcessCancelCommand implements Callable<Integer> {
    @Option(
            names = "--reason",
            paramLabel = "TEXT",
            description = "Why (default: ${DEFAULT-VALUE}).",
            defaultValue = "cancelled from the command line")
    private String reason = "";

    @Parameters(arity = "1..*", paramLabel = "PROCESS", description = "Ids of processes.")
    private List<String> ids = new ArrayList<>();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            return Each.of(ids, id -> cloche.processes().cancel(id, reason));
        }
    }
}
