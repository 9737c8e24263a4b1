package dev.cloche.bench.compare;

import dev.cloche.bench.probe.AppendRate;
import dev.cloche.bench.probe.CountedAppends;
import dev.cloche.bench.probe.PostgresServer;
import dev.cloche.bench.probe.WakeLatency;
import dev.cloche.bench.report.Report;
import dev.cloche.process.EventAppend;
import dev.cloche.process.EventType;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessInput;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.ProcessRegistry;
import dev.cloche.process.Provenance;
import dev.cloche.process.SessionScope;
import dev.cloche.process.postgres.PostgresConfig;
import dev.cloche.process.postgres.PostgresProcessStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Measures the registry on PostgreSQL: wakes in another JVM, beside the append alone; and appends by 32 connections,
 * beside a store that takes a number of one global counter and notifies in each transaction.
 */
public final class RegistryPostgres {
    private static final int CONNECTIONS = 32;
    private static final int SLOW_FLUSH_MICROS = 2_000;
    static final String TYPE = "note";

    public void measure(int rounds, Report report) throws Exception {
        try (PostgresServer server = PostgresServer.start()) {
            wakes(server, rounds, report);
            CountedAppends.create(server, CONNECTIONS);
            PostgresConfig config = server.config("appends").withConnections(CONNECTIONS);
            try (ProcessRegistry registry = ProcessRegistry.over(PostgresProcessStore.open(config))) {
                for (int i = 0; i < CONNECTIONS; i++) {
                    register(registry, "p" + i);
                }
                appends(server, registry, Math.min(rounds, 5), report);
            }
        }
    }

    static void register(ProcessRegistry registry, String id) {
        registry.register(ProcessRegistration.of(
                        id,
                        new ProcessInput("bench", Json.NULL),
                        new Provenance(SessionScope.of("bench"), "bench", Optional.empty()))
                .withEventTypes(EventType.plain(TYPE)));
    }

    private static void wakes(PostgresServer server, int rounds, Report report) throws Exception {
        try (ProcessRegistry registry = ProcessRegistry.over(PostgresProcessStore.open(server.config("wakes")))) {
            register(registry, WakeLatency.PROCESS);
            var samples = WakeLatency.measure(registry, TYPE, RegistryPostgres.class, server.url(), rounds);
            report.heading("Wakes in another JVM, PostgreSQL");
            report.table(samples);
        }
    }

    /** Runs the JVM that waits. */
    public static void main(String[] arguments) {
        PostgresConfig config = PostgresConfig.of(arguments[0], "postgres", "").withSchema("wakes");
        try (ProcessRegistry registry = ProcessRegistry.over(PostgresProcessStore.open(config))) {
            WakeLatency.waitForEver(registry);
        }
    }

    private static void appends(PostgresServer server, ProcessRegistry registry, int rounds, Report report)
            throws Exception {
        List<CountedAppends> counted = new ArrayList<>();
        try {
            for (int i = 0; i < CONNECTIONS; i++) {
                counted.add(new CountedAppends(server.connect()));
            }
            String payload = "{\"text\":\"" + "x".repeat(180) + "\"}";
            AppendRate.Append ours =
                    (caller, _) -> registry.append("p" + caller, EventAppend.of(TYPE, Json.ofCanonical(payload)));
            AppendRate.Append plain = (caller, _) -> counted.get(caller).append("p" + caller, payload);
            AppendRate.of(CONNECTIONS, ours);
            AppendRate.of(CONNECTIONS, plain);
            report.heading("Appends, PostgreSQL, fsync on, " + CONNECTIONS + " connections");
            report.note("| flush of the log | rounds | registry, p50 1/s | one global counter, p50 1/s | ratio |");
            report.line("|---|---|---|---|---|");
            for (int micros : new int[] {0, SLOW_FLUSH_MICROS}) {
                server.slowFlushes(micros);
                double[] fast = new double[rounds];
                double[] slow = new double[rounds];
                for (int round = 0; round < rounds; round++) {
                    fast[round] = AppendRate.of(CONNECTIONS, ours);
                    slow[round] = AppendRate.of(CONNECTIONS, plain);
                }
                String flush = micros == 0 ? "of this disk" : micros / 1_000 + " ms slower (commit_delay)";
                report.line(AppendRate.row(flush, fast, slow));
            }
        } finally {
            for (CountedAppends each : counted) {
                each.close();
            }
        }
    }
}
