package dev.cloche.cli.pool;

import dev.cloche.Cloche;
import dev.cloche.cli.option.TimeSpan;
import dev.cloche.cli.terminal.ExitCodes;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
        name = "set",
        description = {
            "Keep so many VMs of an image and a size ready, from now on.",
            "",
            "Sandboxes of them that have no disk and publish no ports start in some milliseconds then. The VMs are made in"
                    + " the background, now and after each start that took one. VMs that nobody has used for --max-age"
                    + " go, and come back with the next start; while `cloche keep` or an application runs that starts such"
                    + " sandboxes, new ones take their places before.",
            ""
        })
public final class PoolSetCommand implements Callable<Integer> {
    @Mixin
    private ShapeOptions shape = new ShapeOptions();

    @Option(names = "--depth", paramLabel = "N", required = true, description = "How many VMs.")
    private int depth;

    @Option(
            names = "--max-age",
            paramLabel = "TIME",
            description = "End a VM that was not used for so long (default: ${DEFAULT-VALUE}).",
            defaultValue = "10m",
            converter = TimeSpan.class)
    private Duration maxAge = Duration.ofMinutes(10);

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open(MakerCommand.options())) {
            cloche.pools().set(shape.image(), shape.memory(), shape.cpus(), shape.network(), depth, maxAge);
        }
        return ExitCodes.OK;
    }
}
