package dev.cloche.cli.pool;

import dev.cloche.Cloche;
import dev.cloche.Network;
import dev.cloche.PoolInfo;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Table;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "ls", description = "List the pools, and how many VMs are ready.")
public final class PoolLsCommand implements Callable<Integer> {
    @Mixin
    private FormatOption format = new FormatOption();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            List<PoolInfo> pools = cloche.pools().list();
            if (format.json()) {
                JsonOutput.print(System.out, json -> json.array(() -> pools.forEach(pool -> write(json, pool))));
            } else {
                Table table = new Table("IMAGE", "MEMORY", "CPUS", "NETWORK", "DEPTH", "READY", "MAKING", "MAX AGE");
                pools.forEach(pool -> table.row(
                        pool.image(),
                        pool.memoryMib() + "m",
                        String.valueOf(pool.cpus()),
                        name(pool.network()),
                        String.valueOf(pool.depth()),
                        String.valueOf(pool.ready()),
                        String.valueOf(pool.making()),
                        pool.maxAge().toSeconds() + "s"));
                table.print(System.out);
            }
        }
        return ExitCodes.OK;
    }

    private static void write(JsonOutput json, PoolInfo pool) {
        json.object(() -> settings(json, pool)
                .field("maxAgeMillis", pool.maxAge().toMillis())
                .field("createdAt", pool.createdAt())
                .field("ready", pool.ready())
                .field("making", pool.making()));
    }

    /** Returns the name of a network as it is typed. */
    static String name(Network network) {
        return network.name().toLowerCase(Locale.ROOT);
    }

    /** Writes the settings of a pool. */
    static JsonOutput settings(JsonOutput json, PoolInfo pool) {
        return json.field("image", pool.image())
                .field("memoryMib", pool.memoryMib())
                .field("cpus", pool.cpus())
                .field("network", name(pool.network()))
                .field("depth", pool.depth())
                .field("minDepth", pool.minDepth())
                .field("check", pool.check());
    }
}
