package dev.cloche.bench.compare;

import dev.cloche.base.Deadline;
import dev.cloche.bench.probe.SeededRoot;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import dev.cloche.catalog.Catalog;
import dev.cloche.image.PullListener;
import dev.cloche.sandbox.MaintenanceLimits;
import dev.cloche.sandbox.MaintenanceReport;
import dev.cloche.sandbox.SandboxMaintenance;
import dev.cloche.sandbox.SandboxSpec;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Measures what it costs to keep the records of sandboxes true. VMs are in memory, the catalog is real. */
public final class Maintenance {
    private static final int STALE = 250;
    private static final int LIVE = 10_000;
    private static final Duration IDLE = Duration.ofSeconds(70);

    private final Setting setting;
    private final Path directory;

    public Maintenance(Setting setting) throws IOException {
        this.setting = setting;
        directory = Files.createTempDirectory(setting.directory(), "maintenance");
    }

    public void measure(int rounds, Report report) throws Exception {
        reconcile(rounds, report);
        behindLiveOnes(rounds, report);
        idle(report);
        embedded(report);
        new Growth(setting, directory).measure(rounds, report);
    }

    /** Only as often as it is called. */
    private static MaintenanceLimits atOnce() {
        return MaintenanceLimits.defaults().withWindow(Duration.ZERO);
    }

    private void reconcile(int rounds, Report report) throws Exception {
        report.heading("Recording the ends of 250 stale sandboxes, beside 20,000 runs that have ended");
        try (SeededRoot root = new SeededRoot(setting, directory.resolve("reconcile"))) {
            SandboxMaintenance maintenance = root.sandboxes().maintenance(atOnce());
            report.table(new Alternation()
                    .warmUp(5)
                    .add("one sweep", () -> {
                        stale(root);
                        long begin = System.nanoTime();
                        MaintenanceReport done = maintenance.sweepIfDue();
                        long taken = System.nanoTime() - begin;
                        if (done.reconciled() != STALE) {
                            throw new IllegalStateException(done.toString());
                        }
                        return taken;
                    })
                    .add("a query and a transaction for each row", () -> {
                        stale(root);
                        long begin = System.nanoTime();
                        eachByItself(root.catalog());
                        return System.nanoTime() - begin;
                    })
                    .run(rounds));
        }
    }

    private static void stale(SeededRoot root) {
        root.clear();
        root.addEnded("old-", 4_000, 5);
        root.addRunning("stale-", STALE);
    }

    private static void eachByItself(Catalog catalog) {
        List<Long> active = catalog.read(transaction ->
                transaction.list(row -> row.getLong(1), "SELECT id FROM sandbox WHERE status = 'RUNNING'"));
        for (long id : active) {
            Optional<Long> run = catalog.read(transaction -> transaction.first(
                    row -> row.getLong(1),
                    "SELECT id FROM run WHERE sandbox_id = ? AND status = 'RUNNING' ORDER BY id DESC LIMIT 1",
                    id));
            catalog.write(transaction -> {
                transaction.update(
                        "UPDATE run SET status = 'TERMINATED', reason = 'INTERNAL_ERROR', terminated_at = 2 WHERE id = ?",
                        run.orElseThrow());
                return transaction.update("UPDATE sandbox SET status = 'CRASHED', updated_at = 2 WHERE id = ?", id);
            });
        }
    }

    private void behindLiveOnes(int rounds, Report report) throws Exception {
        report.heading("One stale sandbox behind 10,000 live ones, in one sweep of 250 ms at most");
        try (SeededRoot root = new SeededRoot(setting, directory.resolve("behind"))) {
            root.addRunning("live-", LIVE);
            SandboxMaintenance maintenance = root.sandboxes().maintenance(atOnce());
            int[] next = {0};
            int[] found = {0};
            report.table(new Alternation()
                    .warmUp(5)
                    .add("one sweep", () -> {
                        root.addRunning("stale" + next[0]++ + "-", 1);
                        long begin = System.nanoTime();
                        found[0] += maintenance.sweepIfDue().reconciled();
                        return System.nanoTime() - begin;
                    })
                    .run(rounds));
            report.note("Found in the first sweep: " + found[0] + " of " + next[0] + ".");
        }
    }

    private void idle(Report report) throws Exception {
        report.heading("An idle host with 500 sandboxes");
        try (SeededRoot root = new SeededRoot(setting, directory.resolve("idle"))) {
            root.addRunning("live-", 500);
            try (SandboxMaintenance maintenance = root.sandboxes().maintenance(MaintenanceLimits.defaults())) {
                maintenance.start();
                long before = root.catalog().statements();
                sleep(IDLE);
                long statements = root.catalog().statements() - before;
                report.note(String.format(
                        Locale.ROOT,
                        "%d statements in %d s: %.2f a second, sweeps included.",
                        statements,
                        IDLE.toSeconds(),
                        statements / (double) IDLE.toSeconds()));
            }
        }
    }

    private void embedded(Report report) throws Exception {
        report.heading("A program that owns 50 idle sandboxes");
        try (SeededRoot root = new SeededRoot(setting, directory.resolve("embedded"));
                SandboxMaintenance maintenance = root.sandboxes().maintenance(MaintenanceLimits.defaults())) {
            for (int i = 0; i < 50; i++) {
                root.sandboxes()
                        .start(
                                SandboxSpec.of("base").withName("sb-" + i).withMemoryMib(128),
                                PullListener.none(),
                                Deadline.after(Duration.ofMinutes(1)));
            }
            maintenance.start();
            System.gc();
            long begin = cpuNanos();
            sleep(IDLE);
            double share = (cpuNanos() - begin) / (double) IDLE.toNanos();
            System.gc();
            long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
            report.note(String.format(
                    Locale.ROOT,
                    "%.2f %% of a core, %.0f MiB of heap after a collection, the 50 guests in this JVM included.",
                    share * 100,
                    heap / 1048576.0));
        }
    }

    private static long cpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    /** Sleeps, because the benchmark measures what happens while nothing is to be done. */
    private static void sleep(Duration time) throws InterruptedException {
        Thread.sleep(time);
    }
}
