package dev.cloche.cli.pool;

import dev.cloche.Cloche;
import dev.cloche.PoolInfo;
import dev.cloche.cli.option.FormatOption;
import dev.cloche.cli.terminal.ExitCodes;
import dev.cloche.cli.terminal.JsonOutput;
import dev.cloche.cli.terminal.Table;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "stats",
        description = {
            "Print what became of the pools since they were set.",
            "",
            "HITS are starts that got a warm VM, MISSES those that could have had one, had one been ready. MADE are VMs"
                    + " that were put into the pool, FAILED attempts to make one."
        })
public final class PoolStatsCommand implements Callable<Integer> {
    @Mixin
    private FormatOption format = new FormatOption();

    @Override
    public Integer call() {
        try (Cloche cloche = Cloche.open()) {
            List<PoolInfo> pools = cloche.pools().list();
            if (format.json()) {
                JsonOutput.print(System.out, json -> json.array(() -> pools.forEach(pool -> write(json, pool))));
            } else {
                Table table = new Table(
                        "IMAGE",
                        "MEMORY",
                        "CPUS",
                        "NETWORK",
                        "READY",
                        "HITS",
                        "MISSES",
                        "MADE",
                        "FAILED",
                        "LAST ERROR");
                pools.forEach(pool -> table.row(
                        pool.image(),
                        pool.memoryMib() + "m",
                        String.valueOf(pool.cpus()),
                        PoolLsCommand.name(pool.network()),
                        pool.ready() + "/" + pool.depth(),
                        String.valueOf(pool.hits()),
                        String.valueOf(pool.misses()),
                        String.valueOf(pool.made()),
                        String.valueOf(pool.failed()),
                        pool.lastError().orElse("-")));
                table.print(System.out);
            }
        }
        return ExitCodes.OK;
    }

    private static void write(JsonOutput json, PoolInfo pool) {
        json.object(() -> PoolLsCommand.settings(json, pool)
                .field("ready", pool.ready())
                .field("hits", pool.hits())
                .field("misses", pool.misses())
                .field("made", pool.made())
                .field("failed", pool.failed())
                .field("lastError", pool.lastError())
                .field("retryAt", pool.retryAt().map(Instant::toString)));
    }
}
