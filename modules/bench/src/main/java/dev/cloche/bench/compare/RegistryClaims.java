package dev.cloche.bench.compare;

import dev.cloche.bench.probe.Registry;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Report;
import dev.cloche.bench.report.Samples;
import dev.cloche.process.Claim;
import dev.cloche.process.ClaimRequest;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Measures a worker's look for ten processes among 100,000 that run, nearly all of which others hold: beside the query
 * that says the same in one condition, and which reads them all.
 */
public final class RegistryClaims {
    private static final int RUNNING = 100_000;
    private static final int BATCH = 10;
    private static final double MILLI = 1e6;

    private final Setting setting;

    public RegistryClaims(Setting setting) {
        this.setting = setting;
    }

    public void measure(int rounds, Report report) throws Exception {
        try (Registry registry = Registry.open(Files.createTempDirectory(setting.directory(), "claims"))) {
            fill(registry);
            for (List<Claim> held = claim(registry, "others", ClaimRequest.MOST);
                    !held.isEmpty();
                    held = claim(registry, "others", ClaimRequest.MOST)) {
                // Until everything is held.
            }
            for (int i = 0; i < rounds * BATCH; i++) {
                registry.register("free-" + i);
            }
            double[] claims = new double[rounds];
            double[] empty = new double[rounds];
            double[] plain = new double[rounds];
            for (int round = 0; round < rounds; round++) {
                plain[round] = time(() -> plainLook(registry));
                claims[round] = time(() -> claim(registry, "worker", BATCH));
            }
            for (int round = 0; round < rounds; round++) {
                empty[round] = time(() -> claim(registry, "worker", BATCH));
            }
            report.heading("Ten claims among 100,000 running processes, SQLite");
            report.table(List.of(
                    new Samples("claimNext, ten claimed and on the disk", claims),
                    new Samples("claimNext, nothing left to claim", empty),
                    new Samples("the look alone, in one condition", plain)));
        }
    }

    private static void fill(Registry registry) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(64)) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < RUNNING; i++) {
                String id = "held-" + i;
                running.add(threads.submit(() -> registry.register(id)));
            }
            for (Future<?> each : running) {
                each.get();
            }
        }
    }

    private static List<Claim> claim(Registry registry, String owner, int limit) {
        return registry.processes()
                .claimNext(new ClaimRequest(owner, Set.of(Registry.INPUT), limit, Duration.ofHours(1)));
    }

    private static void plainLook(Registry registry) {
        registry.catalog()
                .read(session -> session.list(
                        row -> row.getLong(1),
                        "SELECT key FROM process WHERE status = 'running'"
                                + " AND (lease_expires IS NULL OR lease_expires <= ?) ORDER BY created_at LIMIT ?",
                        0,
                        BATCH));
    }

    private static double time(Runnable work) {
        long begin = System.nanoTime();
        work.run();
        return (System.nanoTime() - begin) / MILLI;
    }
}
