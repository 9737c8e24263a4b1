package dev.cloche.bench.compare;

import dev.cloche.base.Deadline;
import dev.cloche.bench.probe.SeededRoot;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import dev.cloche.image.PullListener;
import dev.cloche.sandbox.MaintenanceLimits;
import dev.cloche.sandbox.RunningSandbox;
import dev.cloche.sandbox.SandboxMaintenance;
import dev.cloche.sandbox.SandboxSpec;
import java.nio.file.Path;
import java.time.Duration;

/** Measures how the cost of work on one sandbox grows with others that have ended: 10, 100, 1,000 and 10,000. */
final class Growth {
    private static final int[] SIZES = {10_000, 1_000, 100, 10};

    private final Setting setting;
    private final Path directory;

    Growth(Setting setting, Path directory) {
        this.setting = setting;
        this.directory = directory;
    }

    void measure(int rounds, Report report) throws Exception {
        Alternation open = new Alternation().warmUp(5);
        Alternation start = new Alternation().warmUp(5);
        Alternation sweep = new Alternation().warmUp(5);
        Alternation list = new Alternation().warmUp(5);
        SeededRoot[] roots = new SeededRoot[SIZES.length];
        try {
            for (int i = 0; i < SIZES.length; i++) {
                SeededRoot root = new SeededRoot(setting, directory.resolve("growth-" + SIZES[i]));
                roots[i] = root;
                root.addEnded("old-", SIZES[i], 1);
                String name = SIZES[i] + " sandboxes";
                SandboxMaintenance maintenance = root.sandboxes()
                        .maintenance(MaintenanceLimits.defaults().withWindow(Duration.ZERO));
                open.add(name, () -> nanos(root::openAgain));
                start.add(name, () -> nanos(() -> startAndEnd(root)));
                sweep.add(name, () -> nanos(maintenance::sweepIfDue));
                list.add(name, () -> nanos(root.sandboxes()::list));
            }
            report.heading("Growth: opening a state root");
            report.table(open.run(rounds));
            report.heading("Growth: start and end of an ephemeral sandbox");
            report.table(start.run(rounds));
            report.heading("Growth: a sweep that finds nothing");
            report.table(sweep.run(rounds));
            report.heading("Growth: listing all of them");
            report.table(list.run(rounds));
        } finally {
            for (SeededRoot root : roots) {
                if (root != null) {
                    root.close();
                }
            }
        }
    }

    private static void startAndEnd(SeededRoot root) {
        try (RunningSandbox _ = root.sandboxes()
                .start(
                        SandboxSpec.of("base").withMemoryMib(128),
                        PullListener.none(),
                        Deadline.after(Duration.ofMinutes(1)))) {
            // Started.
        }
    }

    private static long nanos(Runnable work) {
        long begin = System.nanoTime();
        work.run();
        return System.nanoTime() - begin;
    }
}
