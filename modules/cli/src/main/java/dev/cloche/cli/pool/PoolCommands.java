package dev.cloche.cli.pool;

import dev.cloche.Cloche;
import dev.cloche.PoolBuilder;
import dev.cloche.PoolInfo;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.option.TimeSpan;
import dev.cloche.cli.terminal.ErrorReport;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.ProgressDisplay;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Has the commands of {@code cloche pool}. */
public final class PoolCommands {
    private PoolCommands() {}

    /** Returns them by name, in the order of the help. */
    public static Map<String, Supplier<Callable<Integer>>> all() {
        Map<String, Supplier<Callable<Integer>>> all = new LinkedHashMap<>();
        all.put("set", Change::new);
        all.put("ls", Ls::new);
        all.put("stats", Stats::new);
        all.put("fill", Fill::new);
        all.put("rm", Rm::new);
        return all;
    }

    @Command(
            name = "set",
            description = {
                "Keep so many VMs of an image and a size ready, from now on.",
                "",
                "Sandboxes of them that have no disk and publish no ports start in some milliseconds then. The VMs are"
                        + " made in the background, now and after each start that took one. VMs that no sandbox has taken"
                        + " for --max-age are ended, and others are made with the next start; while `cloche keep` or an"
                        + " application runs that starts such sandboxes, new ones take their places before.",
                "",
                "A COMMAND runs in each new VM before it waits, to warm it up and to check it; a VM in which it fails is"
                        + " rejected, see `cloche pool stats`. So is one that does not serve what --health-port and"
                        + " --health-http ask for, within 5 seconds after the COMMAND.",
                ""
            })
    private static final class Change implements Callable<Integer> {
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
        private @Nullable Integer minDepth;

        @Option(
                names = "--cold-after",
                paramLabel = "TIME",
                description = "Keep none once none was asked for so long, until one is.",
                converter = TimeSpan.class)
        private @Nullable Duration coldAfter;

        @Mixin
        private HealthOptions health = new HealthOptions();

        @Parameters(
                index = "1..*",
                arity = "0..*",
                paramLabel = "COMMAND",
                description = "What runs in each new VM, with its arguments; put -- before it.")
        private List<String> check = new ArrayList<>();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open(MakerCommand.options())) {
                PoolBuilder pool = shape.of(cloche.pools())
                        .maxAge(maxAge)
                        .healthCheck(shape.words(check).toArray(String[]::new));
                health.addTo(pool);
                pool = minDepth == null ? pool.depth(depth) : pool.depth(minDepth, depth);
                var _ = (coldAfter == null ? pool : pool.coldAfter(coldAfter)).set();
            }
            return ExitCodes.OK;
        }
    }

    @Command(
            name = "ls",
            description = {
                "List the pools, and how many VMs are ready.",
                "",
                "DEPTH is how many VMs a pool keeps: one number, or the least and the most where demand decides."
                        + " CHECK is the command that runs in each new VM, and the ports and pages that it is asked for."
            })
    private static final class Ls implements Callable<Integer> {
        @Mixin
        private FormatOption format = new FormatOption();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                List<PoolInfo> pools = cloche.pools().list();
                if (format.json()) {
                    JsonOutput.print(
                            System.out,
                            json -> json.array(() -> pools.forEach(pool -> PoolFields.settings(json, pool))));
                } else {
                    PoolTables.settings(pools).print(System.out);
                }
            }
            return ExitCodes.OK;
        }
    }

    @Command(
            name = "stats",
            description = {
                "Print what became of the pools since they were set.",
                "",
                "HITS are starts that got a warm VM, MISSES those that could have had one, had one been ready. MADE are"
                        + " VMs that were put into the pool, FAILED attempts to make one. RETRY IN is the time until the"
                        + " next attempt, if the latest one failed."
            })
    private static final class Stats implements Callable<Integer> {
        @Mixin
        private FormatOption format = new FormatOption();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                List<PoolInfo> pools = cloche.pools().list();
                if (format.json()) {
                    JsonOutput.print(
                            System.out, json -> json.array(() -> pools.forEach(pool -> PoolFields.counts(json, pool))));
                } else {
                    PoolTables.counts(pools, Clock.systemUTC()).print(System.out);
                }
            }
            return ExitCodes.OK;
        }
    }

    @Command(
            name = "fill",
            description = {
                "Make what the pools are short of, and wait for it.",
                "",
                "This happens by itself in the background after `cloche pool set` and after each start that took a VM."
            })
    private static final class Fill implements Callable<Integer> {
        @Option(
                names = {"-q", "--quiet"},
                description = "Do not show the progress of a pull.")
        private boolean quiet;

        @Override
        public Integer call() {
            List<String> errors = errors();
            errors.forEach(error -> ErrorReport.print(error, "See: cloche pool stats", System.err));
            return errors.isEmpty() ? ExitCodes.OK : ExitCodes.FAILURE;
        }

        private List<String> errors() {
            try (Cloche cloche = Cloche.open();
                    ProgressDisplay progress = ProgressDisplay.forTerminal(quiet)) {
                return cloche.pools().fill(progress);
            }
        }
    }

    @Command(name = "rm", description = "Remove a pool and its VMs. Sandboxes that have taken from it go on.")
    private static final class Rm implements Callable<Integer> {
        @Mixin
        private ShapeOptions shape = new ShapeOptions();

        @Override
        public Integer call() {
            try (Cloche cloche = Cloche.open()) {
                shape.of(cloche.pools()).remove();
            }
            return ExitCodes.OK;
        }
    }
}
