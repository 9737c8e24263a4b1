package dev.cloche.bench.compare;

import dev.cloche.bench.probe.AppendRate;
import dev.cloche.bench.probe.CountedAppends;
import dev.cloche.bench.probe.PostgresServer;
import dev.cloche.bench.report.Report;
import dev.cloche.process.EventAppend;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessRegistry;
import dev.cloche.process.postgres.PostgresProcessStore;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures callers that all append to one process on PostgreSQL: through the registry, without and with replay keys,
 * and in one plain transaction each, in turn.
 */
public final class HotLog {
    private static final int CALLERS = 128;

    public void measure(int rounds, Report report) throws Exception {
        List<CountedAppends> plainly = new ArrayList<>();
        try (PostgresServer server = PostgresServer.start();
                ProcessRegistry registry = ProcessRegistry.over(PostgresProcessStore.open(server.config("hot")))) {
            try {
                CountedAppends.create(server, 1);
                for (int i = 0; i < CALLERS; i++) {
                    plainly.add(new CountedAppends(server.connect()));
                }
                RegistryPostgres.register(registry, "p0");
                compare(registry, plainly, rounds, report);
            } finally {
                for (CountedAppends each : plainly) {
                    each.close();
                }
            }
        }
    }

    private static void compare(ProcessRegistry registry, List<CountedAppends> plainly, int rounds, Report report)
            throws Exception {
        String payload = "{\"text\":\"" + "x".repeat(180) + "\"}";
        EventAppend event = EventAppend.of(RegistryPostgres.TYPE, Json.ofCanonical(payload));
        double[] withoutKeys = new double[rounds];
        double[] withKeys = new double[rounds];
        double[] plain = new double[rounds];
        // The first is not counted.
        for (int i = -1; i < rounds; i++) {
            int round = i;
            double without = AppendRate.of(CALLERS, (_, _) -> registry.append("p0", event));
            double with = AppendRate.of(
                    CALLERS,
                    (caller, number) ->
                            registry.append("p0", event.withReplayKey(round + "/" + caller + "/" + number)));
            double each =
                    AppendRate.of(CALLERS, (caller, _) -> plainly.get(caller).appendPlainly("p0", payload));
            if (round >= 0) {
                withoutKeys[round] = without;
                withKeys[round] = with;
                plain[round] = each;
            }
        }
        report.heading("Appends to one process, PostgreSQL, fsync on, " + CALLERS + " callers");
        report.note("| appends | rounds of 1 s | registry, p50 1/s | one transaction each, p50 1/s | ratio |");
        report.line("|---|---|---|---|---|");
        report.line(AppendRate.row("without replay keys", withoutKeys, plain));
        report.line(AppendRate.row("with a replay key each", withKeys, plain));
    }
}
