package dev.cloche.bench;

import dev.cloche.base.Deadline;
import dev.cloche.process.EventAppend;
import dev.cloche.process.EventType;
import dev.cloche.process.Json;
import dev.cloche.process.ProcessEvent;
import dev.cloche.process.ProcessInput;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.ProcessRegistry;
import dev.cloche.process.Provenance;
import dev.cloche.process.SessionScope;
import dev.cloche.process.postgres.PostgresConfig;
import dev.cloche.process.postgres.PostgresProcessStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The registry on PostgreSQL: wakes in another JVM, beside the append alone; and appends by 32 connections, beside a store
 * that takes a number of one global counter and notifies in each transaction.
 */
final class RegistryPostgres {
    private static final int CONNECTIONS = 32;
    private static final int EVENTS_A_ROUND = 40;
    private static final int SLOW_FLUSH_MICROS = 2_000;
    private static final long ROUND_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final String TYPE = "note";
    private static final double MILLI = 1e6;

    void measure(int rounds, Report report) throws Exception {
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

    private static void register(ProcessRegistry registry, String id) {
        registry.register(ProcessRegistration.of(
                        id,
                        new ProcessInput("bench", Json.NULL),
                        new Provenance(SessionScope.of("bench"), "bench", Optional.empty()))
                .withEventTypes(EventType.plain(TYPE)));
    }

    private static void wakes(PostgresServer server, int rounds, Report report) throws Exception {
        int count = rounds * EVENTS_A_ROUND;
        double[] appends = new double[count];
        double[] wakes = new double[count];
        try (ProcessRegistry registry = ProcessRegistry.over(PostgresProcessStore.open(server.config("wakes")))) {
            register(registry, "p");
            Process waiter = start(server);
            try (BufferedReader answers = waiter.inputReader()) {
                answers.readLine();
                for (int i = -EVENTS_A_ROUND; i < count; i++) {
                    long begin = System.nanoTime();
                    registry.append("p", EventAppend.of(TYPE, Json.NULL));
                    long done = System.nanoTime();
                    long woken = Long.parseLong(answers.readLine());
                    if (i >= 0) {
                        appends[i] = (done - begin) / MILLI;
                        wakes[i] = (woken - begin) / MILLI;
                    }
                    // Until it waits again.
                    Thread.sleep(5);
                }
            } finally {
                waiter.destroyForcibly().waitFor();
            }
        }
        report.heading("Wakes in another JVM, PostgreSQL");
        report.table(List.of(new Samples("append to wake", wakes), new Samples("the append alone", appends)));
    }

    private static Process start(PostgresServer server) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        RegistryPostgres.class.getName(),
                        server.url())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** The JVM that waits: prints when it was woken, for ever. Both read CLOCK_MONOTONIC, which a host has one of. */
    public static void main(String[] arguments) {
        PostgresConfig config = PostgresConfig.of(arguments[0], "postgres", "").withSchema("wakes");
        try (ProcessRegistry registry = ProcessRegistry.over(PostgresProcessStore.open(config))) {
            System.out.println("ready");
            long seen = 0;
            while (true) {
                for (ProcessEvent event :
                        registry.awaitEventsAfter("p", seen, 10, Deadline.after(Duration.ofMinutes(1)))) {
                    System.out.println(System.nanoTime());
                    seen = event.sequence();
                }
            }
        }
    }

    @FunctionalInterface
    private interface Append {
        void run(int caller, String payload);
    }

    private static void appends(PostgresServer server, ProcessRegistry registry, int rounds, Report report)
            throws Exception {
        List<CountedAppends> counted = new ArrayList<>();
        try {
            for (int i = 0; i < CONNECTIONS; i++) {
                counted.add(new CountedAppends(server.connect()));
            }
            Append ours =
                    (caller, payload) -> registry.append("p" + caller, EventAppend.of(TYPE, Json.ofCanonical(payload)));
            Append plain = (caller, payload) -> counted.get(caller).append("p" + caller, payload);
            rate(ours);
            rate(plain);
            report.heading("Appends, PostgreSQL, fsync on, " + CONNECTIONS + " connections");
            report.note("| flush of the log | rounds | registry, p50 1/s | one global counter, p50 1/s | ratio |");
            report.line("|---|---|---|---|---|");
            for (int micros : new int[] {0, SLOW_FLUSH_MICROS}) {
                server.slowFlushes(micros);
                double[] fast = new double[rounds];
                double[] slow = new double[rounds];
                for (int round = 0; round < rounds; round++) {
                    fast[round] = rate(ours);
                    slow[round] = rate(plain);
                }
                double a = median(fast);
                double b = median(slow);
                String flush = micros == 0 ? "of this disk" : micros / 1_000 + " ms slower (commit_delay)";
                report.line(String.format(Locale.ROOT, "| %s | %d | %.0f | %.0f | %.2f |", flush, rounds, a, b, a / b));
            }
        } finally {
            for (CountedAppends each : counted) {
                each.close();
            }
        }
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /** Appends per second of all connections, for a second. */
    private static double rate(Append append) throws Exception {
        String payload = "{\"text\":\"" + "x".repeat(180) + "\"}";
        CountDownLatch start = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS)) {
            List<Future<Long>> running = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                int caller = i;
                running.add(threads.submit(() -> {
                    start.await();
                    long end = System.nanoTime() + ROUND_NANOS;
                    long done = 0;
                    while (System.nanoTime() - end < 0) {
                        append.run(caller, payload);
                        done++;
                    }
                    return done;
                }));
            }
            long begin = System.nanoTime();
            start.countDown();
            long all = 0;
            for (Future<Long> each : running) {
                all += each.get();
            }
            return all / ((System.nanoTime() - begin) / 1e9);
        }
    }
}
