package dev.cloche.cli;

import dev.cloche.Cloche;
import dev.cloche.Machines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "restart", description = "Stop machines and start them again.")
final class MachineRestartCommand implements Callable<Integer> {
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
            Machines machines = cloche.machines();
            return Each.of(names, name -> {
                machines.stop(name, grace);
                machines.start(name).close();
            });
        }
    }
}
