package dev.cloche.cli;

import dev.cloche.Cloche;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "drain",
        description = "End sandboxes once the commands in them have finished; further ones are refused at once.")
final class DrainCommand implements Callable<Integer> {
    @Option(
            names = "--wait",
            paramLabel = "TIME",
            description = "How long commands may go on (default: ${DEFAULT-VALUE}).",
            defaultValue = "10m",
            converter = TimeSpan.class)
    private Duration longest = Duration.ofMinutes(10);

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
            return Each.of(names, name -> cloche.drain(name, longest, grace));
        }
    }
}
