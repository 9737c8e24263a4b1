package dev.cloche.cli;

import dev.cloche.Cloche;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "restart", description = "Stop sandboxes, unless they have ended, and start them again.")
final class RestartCommand implements Callable<Integer> {
    @Option(
            names = {"-t", "--time"},
            paramLabel = "TIME",
            description = "Time between SIGTERM and SIGKILL (default: ${DEFAULT-VALUE}).",
            defaultValue = "10s",
            converter = TimeSpan.class)
    private Duration grace = Duration.ofSeconds(10);

    @Parameters(arity = "1..*", paramLabel = "SANDBOX", description = "Names of sandboxes.")
    private List<String> names = new ArrayList<>();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            return Each.of(names, name -> cloche.restart(name, grace));
        }
    }
}
