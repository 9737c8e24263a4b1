package dev.cloche.cli.pool;

import dev.cloche.PoolInfo;
import dev.cloche.Ready;
import dev.cloche.base.EnumNames;
import dev.cloche.cli.terminal.Table;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Shows pools to people. */
final class PoolTables {
    private static final String NONE = "-";

    private PoolTables() {}

    /** Returns how pools were set, and how many VMs they have. */
    static Table settings(List<PoolInfo> pools) {
        Table table = new Table("IMAGE", "MEMORY", "CPUS", "NETWORK", "DEPTH", "READY", "MAKING", "MAX AGE", "CHECK");
        pools.forEach(pool -> table.row(
                subject(pool),
                pool.memoryMib() + "m",
                String.valueOf(pool.cpus()),
                EnumNames.of(pool.network()),
                depth(pool),
                String.valueOf(pool.ready()),
                String.valueOf(pool.making()),
                pool.maxAge().toSeconds() + "s",
                check(pool)));
        return table;
    }

    /** Returns what became of pools. */
    static Table counts(List<PoolInfo> pools, Clock clock) {
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
                "RETRY IN",
                "LAST ERROR");
        pools.forEach(pool -> table.row(
                subject(pool),
                pool.memoryMib() + "m",
                String.valueOf(pool.cpus()),
                EnumNames.of(pool.network()),
                pool.ready() + "/" + depth(pool),
                String.valueOf(pool.hits()),
                String.valueOf(pool.misses()),
                String.valueOf(pool.made()),
                String.valueOf(pool.failed()),
                pool.retryAt().map(at -> until(at, clock)).orElse(NONE),
                pool.lastError().orElse(NONE)));
        return table;
    }

    private static String subject(PoolInfo pool) {
        return pool.template().map(name -> "template " + name).orElseGet(pool::image);
    }

    private static String depth(PoolInfo pool) {
        return pool.minDepth() == pool.depth() ? String.valueOf(pool.depth()) : pool.minDepth() + "-" + pool.depth();
    }

    private static String check(PoolInfo pool) {
        if (pool.inProcess()) {
            return "(functions of an application)";
        }
        List<String> checks = new ArrayList<>();
        if (!pool.check().isEmpty()) {
            checks.add(String.join(" ", pool.check()));
        }
        for (Ready probe : pool.probes()) {
            switch (probe) {
                case Ready.Port(int port) -> checks.add("port " + port);
                case Ready.Http(int port, String path) -> checks.add("GET " + port + path);
                case Ready.Command _, Ready.Log _ -> {}
            }
        }
        return checks.isEmpty() ? NONE : String.join(", ", checks);
    }

    /** Returns the whole seconds until a moment, at least 0: an attempt that is due waits for a process that makes it. */
    private static String until(Instant at, Clock clock) {
        Duration left = Duration.between(clock.instant(), at);
        return Math.max(0, left.plusMillis(999).toSeconds()) + "s";
    }
}
