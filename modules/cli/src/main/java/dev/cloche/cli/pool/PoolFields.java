package dev.cloche.cli.pool;

import dev.cloche.PoolInfo;
import dev.cloche.Ready;
import dev.cloche.base.EnumNames;
import dev.cloche.cli.terminal.JsonOutput;
import java.time.Instant;

/** Writes pools as JSON. */
final class PoolFields {
    private PoolFields() {}

    /** Writes how a pool was set, and how many VMs it has. */
    static void settings(JsonOutput json, PoolInfo pool) {
        json.object(() -> shape(json, pool)
                .field("maxAgeMillis", pool.maxAge().toMillis())
                .field("createdAt", pool.createdAt())
                .field("ready", pool.ready())
                .field("making", pool.making()));
    }

    /** Writes what became of a pool. */
    static void counts(JsonOutput json, PoolInfo pool) {
        json.object(() -> shape(json, pool)
                .field("ready", pool.ready())
                .field("hits", pool.hits())
                .field("misses", pool.misses())
                .field("made", pool.made())
                .field("failed", pool.failed())
                .field("lastError", pool.lastError())
                .field("retryAt", pool.retryAt().map(Instant::toString)));
    }

    private static JsonOutput shape(JsonOutput json, PoolInfo pool) {
        json.field("image", pool.image())
                .field("template", pool.template())
                .field("memoryMib", pool.memoryMib())
                .field("cpus", pool.cpus())
                .field("network", EnumNames.of(pool.network()))
                .field("depth", pool.depth())
                .field("minDepth", pool.minDepth())
                .field("check", pool.check())
                .name("probes");
        return json.array(() -> pool.probes().forEach(probe -> probe(json, probe)));
    }

    private static void probe(JsonOutput json, Ready probe) {
        json.object(() -> {
            switch (probe) {
                case Ready.Port(int port) -> json.field("port", port);
                case Ready.Http(int port, String path) ->
                    json.field("port", port).field("path", path);
                case Ready.Command _, Ready.Log _ -> {}
            }
        });
    }
}
