package dev.cloche.cli.sandbox;

import dev.cloche.Cloche;
import dev.cloche.cli.option.GraceOption;
import dev.cloche.cli.option.TimeSpan;
import dev.cloche.cli.terminal.Each;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "drain",
        description = "End sandboxes once the commands in them have finished; further ones are refused at once.")
public final class DrainCommand implements Callable<Integer> {
    @Option(
            names = "--wait",
            paramLabel = "TIME",
            description = "How long commands may go on (default: ${DEFAULT-VALUE}).",
            defaultValue = "10m",
            converter = TimeSpan.class)
    private Duration longest = Duration.ofMinutes(10);

    @Mixin
    private GraceOption time = new GraceOption();

    @Mixin
    private SandboxNames names = new SandboxNames();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            return Each.of(names.all(), name -> cloche.sandboxes().drain(name, longest, time.grace()));
        }
    }
}
