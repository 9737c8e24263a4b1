package dev.cloche.cli;

import dev.cloche.Cloche;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "stop", description = "Stop machines: their processes get SIGTERM, and SIGKILL after a time of grace.")
final class MachineStopCommand implements Callable<Integer> {
    @Option(
            names = {"-t", "--time"},
            paramLabel = "TIME",
            description = "Time of grace (default: ${DEFAULT-VALUE}).",
            defaultValue = "10s",
            converter = TimeSpan.class)
    private Duration grace = Duration.ofSeconds(10);

    @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of machines.")
    private List<String> names = new ArrayList<>();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            return Each.of(names, name -> cloche.machines().stop(name, grace));
        }
    }
}
