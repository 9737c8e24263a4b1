package dev.cloche.cli.pool;

import dev.cloche.Cloche;
import dev.cloche.PoolBuilder;
import dev.cloche.cli.option.TimeSpan;
import dev.cloche.cli.terminal.ExitCodes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "set",
        description = {
            "Keep so many VMs of an image and a size ready, from now on.",
            "",
            "Sandboxes of them that have no disk and publish no ports start in some milliseconds then. The VMs are made in"
                    + " the background, now and after each start that took one. VMs that nobody has used for --max-age"
                    + " go, and come back with the next start; while `cloche keep` or an application runs that starts such"
                    + " sandboxes, new ones take their places before.",
            "",
            "A COMMAND runs in each new VM before it waits, to warm it up and to check it; a VM in which it fails is"
                    + " rejected, see `cloche pool stats`.",
            ""
        })
public final class PoolSetCommand implements Callable<Integer> {
    private static final int ALWAYS = -1;

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

    @Option(
            names = "--min-depth",
            paramLabel = "N",
            description = "Keep between this and --depth, by how many are asked for (default: always --depth).")
    private int minDepth = ALWAYS;

    @Option(
            names = "--cold-after",
            paramLabel = "TIME",
            description = "Keep none once none was asked for so long, until one is.",
            converter = TimeSpan.class)
    private Duration coldAfter = Duration.ZERO;

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "COMMAND",
            description = "What runs in each new VM, with its arguments; put -- before it.")
    private List<String> check = new ArrayList<>();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open(MakerCommand.options())) {
            PoolBuilder pool = cloche.pools()
                    .pool(shape.image())
                    .memory(shape.memory())
                    .cpus(shape.cpus())
                    .network(shape.network())
                    .maxAge(maxAge)
                    .healthCheck(check.toArray(String[]::new));
            pool = minDepth == ALWAYS ? pool.depth(depth) : pool.depth(minDepth, depth);
            var _ = (coldAfter.isZero() ? pool : pool.coldAfter(coldAfter)).set();
        }
        return ExitCodes.OK;
    }
}
