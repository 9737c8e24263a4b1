package dev.cloche.bench;

import dev.cloche.base.Deadline;
import dev.cloche.process.EventAppend;
import dev.cloche.process.ProcessException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many events can be appended in a second, each acknowledged when it is on the disk: by callers with a process each,
 * through the registry and by one plain transaction per event with the same rows in the same tables. And what threads that
 * wait cost.
 */
final class RegistryAppends {
    private static final int[] CALLERS = {1, 16, 64};
    private static final int WAITERS = 1_000;
    private static final int IDLE_WAITERS = 10_000;
    private static final long ROUND_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int IDLE_SECONDS = 10;

    private final Setting setting;

    RegistryAppends(Setting setting) {
        this.setting = setting;
    }

    @FunctionalInterface
    private interface Append {
        void run(String process, long number);
    }

    void measure(int rounds, Report report) throws Exception {
        try (Registry registry = Registry.open(Files.createTempDirectory(setting.directory(), "appends"))) {
            for (int i = 0; i < 64; i++) {
                registry.register("p" + i);
            }
            Append ours = (process, number) ->
                    registry.processes().append(process, EventAppend.of(Registry.TYPE, Registry.payload(number)));
            PlainAppends sql = new PlainAppends(registry.catalog());
            Append plain = (process, number) ->
                    sql.append(process, Registry.payload(number).text());
            rate(ours, 16);
            rate(plain, 16);
            report.heading("Appends, SQLite, synchronous=FULL");
            report.note("| callers | rounds | registry, p50 1/s | plain, p50 1/s | ratio |");
            report.line("|---|---|---|---|---|");
            for (int callers : CALLERS) {
                double[] fast = new double[rounds];
                double[] slow = new double[rounds];
                for (int round = 0; round < rounds; round++) {
                    fast[round] = rate(ours, callers);
                    slow[round] = rate(plain, callers);
                }
                line(report, Integer.toString(callers), fast, slow);
            }
            waiters(registry, ours, rounds, report);
        }
    }

    private static void waiters(Registry registry, Append ours, int rounds, Report report) throws Exception {
        report.note("| 16 callers | rounds | with " + WAITERS + " waiters, p50 1/s | without, p50 1/s | ratio |");
        report.line("|---|---|---|---|---|");
        double[] with = new double[rounds];
        double[] without = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            without[round] = rate(ours, 16);
            try (Waiting _ = new Waiting(registry, WAITERS)) {
                with[round] = rate(ours, 16);
            }
        }
        line(report, "waiting for the ends of the same processes", with, without);
        try (Waiting _ = new Waiting(registry, IDLE_WAITERS)) {
            double cores = idleCores();
            report.note(String.format(
                    Locale.ROOT,
                    "%,d threads that wait, nothing else: %.4f of a core over %d s.",
                    IDLE_WAITERS,
                    cores,
                    IDLE_SECONDS));
        }
    }

    private static double idleCores() throws InterruptedException {
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        TimeUnit.SECONDS.sleep(2);
        long before = system.getProcessCpuTime();
        TimeUnit.SECONDS.sleep(IDLE_SECONDS);
        return (system.getProcessCpuTime() - before) / (double) TimeUnit.SECONDS.toNanos(IDLE_SECONDS);
    }

    /** Threads that wait for the ends of the 64 processes, until they are closed. */
    private static final class Waiting implements AutoCloseable {
        private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

        Waiting(Registry registry, int count) throws InterruptedException {
            AtomicInteger begun = new AtomicInteger();
            for (int i = 0; i < count; i++) {
                String id = "p" + i % 64;
                var _ = threads.submit(() -> {
                    begun.incrementAndGet();
                    try {
                        registry.processes().awaitProcess(id, Deadline.none());
                    } catch (ProcessException.Interrupted end) {
                        // Closed.
                    }
                });
            }
            while (begun.get() < count) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
            // The last of them still looks before it waits.
            TimeUnit.MILLISECONDS.sleep(500);
        }

        @Override
        public void close() {
            threads.shutdownNow();
            threads.close();
        }
    }

    private static void line(Report report, String what, double[] ours, double[] plain) {
        double a = median(ours);
        double b = median(plain);
        report.line(String.format(Locale.ROOT, "| %s | %d | %.0f | %.0f | %.2f |", what, ours.length, a, b, a / b));
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /** Appends per second of so many threads, for a second. */
    private static double rate(Append append, int callers) throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newFixedThreadPool(callers)) {
            List<Future<Long>> running = new ArrayList<>();
            for (int caller = 0; caller < callers; caller++) {
                String process = "p" + caller;
                running.add(threads.submit(() -> {
                    start.await();
                    long end = System.nanoTime() + ROUND_NANOS;
                    long done = 0;
                    while (System.nanoTime() - end < 0) {
                        append.run(process, done++);
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
