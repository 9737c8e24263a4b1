package dev.cloche.bench.compare;

import dev.cloche.base.Deadline;
import dev.cloche.bench.probe.AppendRate;
import dev.cloche.bench.probe.PlainAppends;
import dev.cloche.bench.probe.Registry;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Report;
import dev.cloche.process.EventAppend;
import dev.cloche.process.ProcessException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Measures how many events can be appended in a second, each acknowledged when it is on the disk: by callers with a
 * process each, through the registry and by one plain transaction per event with the same rows in the same tables. And
 * what threads that wait cost.
 */
public final class RegistryAppends {
    private static final int[] CALLERS = {1, 16, 64};
    private static final int WAITERS = 1_000;
    private static final int IDLE_WAITERS = 10_000;
    private static final int IDLE_SECONDS = 10;

    private final Setting setting;

    public RegistryAppends(Setting setting) {
        this.setting = setting;
    }

    public void measure(int rounds, Report report) throws Exception {
        try (Registry registry = Registry.open(Files.createTempDirectory(setting.directory(), "appends"))) {
            for (int i = 0; i < 64; i++) {
                registry.register("p" + i);
            }
            AppendRate.Append ours = (caller, number) ->
                    registry.processes().append("p" + caller, EventAppend.of(Registry.TYPE, Registry.payload(number)));
            PlainAppends sql = new PlainAppends(registry.catalog());
            AppendRate.Append plain = (caller, number) ->
                    sql.append("p" + caller, Registry.payload(number).text());
            AppendRate.of(16, ours);
            AppendRate.of(16, plain);
            report.heading("Appends, SQLite, synchronous=FULL");
            report.note("| callers | rounds | registry, p50 1/s | plain, p50 1/s | ratio |");
            report.line("|---|---|---|---|---|");
            for (int callers : CALLERS) {
                double[] fast = new double[rounds];
                double[] slow = new double[rounds];
                for (int round = 0; round < rounds; round++) {
                    fast[round] = AppendRate.of(callers, ours);
                    slow[round] = AppendRate.of(callers, plain);
                }
                report.line(AppendRate.row(Integer.toString(callers), fast, slow));
            }
            waiters(registry, ours, rounds, report);
        }
    }

    private static void waiters(Registry registry, AppendRate.Append ours, int rounds, Report report) throws Exception {
        report.note("| 16 callers | rounds | with " + WAITERS + " waiters, p50 1/s | without, p50 1/s | ratio |");
        report.line("|---|---|---|---|---|");
        double[] with = new double[rounds];
        double[] without = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            without[round] = AppendRate.of(16, ours);
            try (Waiting _ = new Waiting(registry, WAITERS)) {
                with[round] = AppendRate.of(16, ours);
            }
        }
        report.line(AppendRate.row("waiting for the ends of the same processes", with, without));
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
}
