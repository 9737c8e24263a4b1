package dev.cloche.bench.compare;

import dev.cloche.Cloche;
import dev.cloche.Sandbox;
import dev.cloche.bench.probe.BenchVm;
import dev.cloche.bench.probe.BootedTemplate;
import dev.cloche.bench.probe.FullPool;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import dev.cloche.bench.report.Samples;
import dev.cloche.qemu.QemuProvider;
import dev.cloche.sandbox.TemplateMaking;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.Isolation;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmIsolation;
import dev.cloche.vm.VmProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Measures what the walls around QEMU take of a start, to the end of a first {@code true}, at the level {@code full} beside {@code
 * reduced}: of a warm one, which is a sandbox from a pool that the process keeps, and of a VM that is restored from a template. For
 * the warm ones each level has a state root of its own, whose configuration asks for it.
 */
public final class WalledStarts {
    private static final int MEMORY = 256;
    /** Of each level before those that count: applications that keep a pool are not in their first second. */
    private static final int WARM_BEFORE = 75;

    private static final int RESTORED_BEFORE = 10;

    private final Setting setting;

    public WalledStarts(Setting setting) {
        this.setting = setting;
    }

    public void measure(int rounds, Report report) throws Exception {
        measureWarm(rounds, report);
        measureRestored(rounds, report);
    }

    private void measureWarm(int rounds, Report report) throws Exception {
        try (Level full = new Level(Isolation.FULL, VmIsolation.Level.FULL);
                Level reduced = new Level(Isolation.REDUCED, VmIsolation.Level.REDUCED)) {
            List<Samples> rows = new Alternation()
                    .add("warm, to the end of its first `true`, full", () -> full.start(reduced))
                    .add("warm, to the end of its first `true`, reduced", () -> reduced.start(full))
                    .warmUp(WARM_BEFORE)
                    .run(rounds);
            report.heading("The jail's share of a warm start, " + MEMORY + " MiB");
            report.table(rows);
            report.note(rows.getFirst().difference(rows.getLast()));
        }
    }

    private void measureRestored(int rounds, Report report) throws Exception {
        try (QemuProvider provider = setting.provider()) {
            BootedTemplate template = BootedTemplate.make(setting, provider, MEMORY);
            List<Samples> rows = new Alternation()
                    .add(
                            "restored to the end of a first `true`, full",
                            () -> restored(provider, template, Isolation.FULL))
                    .add(
                            "restored to the end of a first `true`, reduced",
                            () -> restored(provider, template, Isolation.REDUCED))
                    .warmUp(RESTORED_BEFORE)
                    .run(rounds);
            report.heading("The jail's share of a restore, " + MEMORY + " MiB");
            report.table(rows);
            report.note(rows.getFirst().difference(rows.getLast()));
        }
    }

    private static long restored(VmProvider provider, BootedTemplate template, Isolation least) {
        long begin = System.nanoTime();
        try (Vm vm = provider.create(template.clone(VmId.random()).withIsolation(Optional.of(least)))) {
            vm.start(BenchVm.patience());
            require(vm, "true");
            long taken = System.nanoTime() - begin;
            BenchVm.requireWalls(provider, vm.id(), least);
            vm.kill(BenchVm.patience());
            vm.destroy();
            return taken;
        }
    }

    private static void require(Vm vm, String... command) {
        try (GuestExecution execution = vm.guest().exec(ExecRequest.of(command), BenchVm.patience())) {
            if (!execution.await(BenchVm.patience()).success()) {
                throw new IllegalStateException(command[0] + " failed");
            }
        }
    }

    /** An application whose VMs have these walls, and that keeps a pool. */
    private final class Level implements AutoCloseable {
        private final VmIsolation.Level walls;
        private final FullPool pool = new FullPool();
        private final Cloche cloche;

        Level(Isolation least, VmIsolation.Level walls) throws IOException {
            this.walls = walls;
            Path home = Files.createTempDirectory(setting.directory(), "walls");
            Files.writeString(
                    home.resolve("config.toml"), "isolation = \"" + least.name().toLowerCase(Locale.ROOT) + "\"\n");
            cloche = Cloche.open(setting.options()
                    .withHome(home)
                    .withTemplateMaking(new TemplateMaking.InBackground())
                    .withPoolListener(pool));
            cloche.pools().pool("base").memoryMib(MEMORY).set();
        }

        /** Starts one, while neither this nor the other pool is being filled. */
        long start(Level other) throws InterruptedException {
            pool.await(cloche);
            other.pool.await(other.cloche);
            long begin = System.nanoTime();
            try (Sandbox sandbox = cloche.sandbox("base").memoryMib(MEMORY).start()) {
                if (sandbox.exec("true").exitCode() != 0) {
                    throw new IllegalStateException("true is not true");
                }
                long taken = System.nanoTime() - begin;
                requireWalls(sandbox);
                return taken;
            }
        }

        private void requireWalls(Sandbox sandbox) {
            VmIsolation has =
                    cloche.sandboxes().inspect(sandbox.name()).isolation().orElseThrow();
            if (has.level() != walls) {
                throw new IllegalStateException("it is at " + has + ", is CLOCHE_ISOLATION set?");
            }
        }

        @Override
        public void close() {
            try (cloche) {
                cloche.pools().pool("base").memoryMib(MEMORY).remove();
            }
        }
    }
}
