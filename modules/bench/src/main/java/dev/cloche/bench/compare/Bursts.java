package dev.cloche.bench.compare;

import dev.cloche.bench.probe.BenchVm;
import dev.cloche.bench.probe.BootedTemplate;
import dev.cloche.bench.probe.PoolTrial;
import dev.cloche.bench.probe.SandboxBurst;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Report;
import dev.cloche.bench.report.Samples;
import dev.cloche.qemu.QemuProvider;
import dev.cloche.vm.BootPolicy;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.testing.InMemoryFaults;
import dev.cloche.vm.testing.InMemoryProvider;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures far more acquires at once than a pool has VMs: 20 of a pool of 5 on QEMU, and 100 of a pool of 20 on VMs in
 * memory, each of whose steps takes as long as QEMU's have just taken. A run in which a VM leaks ends with an error.
 */
public final class Bursts {
    private static final int MEMORY = 256;

    private final Setting setting;

    public Bursts(Setting setting) {
        this.setting = setting;
    }

    public void measure(int rounds, Report report) throws Exception {
        sandboxes(rounds, report);
        PoolTrial.Findings real;
        try (QemuProvider qemu = setting.provider()) {
            BootedTemplate template = BootedTemplate.make(setting, qemu, MEMORY);
            real = new PoolTrial("QEMU", qemu, template.snapshot(), 5, 20)
                    .run(rounds * 2, rounds, Math.ceilDiv(rounds, 3));
        }
        tell(report, "A burst of 20 acquires on a pool of 5, QEMU with " + MEMORY + " MiB", 20, real);
        double restore = PoolTrial.median(real.restores);
        double handOff = PoolTrial.median(real.work);
        double end = PoolTrial.median(real.ends);
        InMemoryFaults slow = new InMemoryFaults();
        try (InMemoryProvider memory = new InMemoryProvider(slow, BootPolicy.DEFAULT)) {
            SnapshotRef snapshot = snapshot(memory);
            slow.before(InMemoryFaults.Step.START, () -> pass(restore));
            slow.before(InMemoryFaults.Step.RESUME, () -> pass(handOff));
            slow.before(InMemoryFaults.Step.DESTROY, () -> pass(end));
            PoolTrial.Findings found = new PoolTrial("memory", memory, snapshot, 20, 100)
                    .run(rounds * 10, rounds, Math.ceilDiv(rounds, 3));
            tell(report, "A burst of 100 acquires on a pool of 20, VMs in memory", 100, found);
        }
        report.note(String.format(
                Locale.ROOT,
                "Each step of a VM in memory took the median of the same step of QEMU above: an entry %.0f ms, a hand-over"
                        + " %.1f ms, an end %.1f ms.",
                restore,
                handOff,
                end));
    }

    private void sandboxes(int rounds, Report report) throws Exception {
        try (SandboxBurst burst = new SandboxBurst(setting.options(), 5)) {
            burst.run(20);
            burst.ready.clear();
            burst.waited.clear();
            for (int i = 0; i < rounds; i++) {
                burst.run(20);
            }
            report.heading(
                    "A burst of 20 × `cloche.sandbox(\"base\").start()` on a pool of 5, QEMU with " + MEMORY + " MiB");
            report.table(List.of(
                    PoolTrial.samples("a start that found a VM ready", burst.ready),
                    PoolTrial.samples("a start that waited", burst.waited),
                    PoolTrial.samples("the need for a VM to the beginning of its restore", burst.refills)));
            report.note(rounds + " bursts of 20: all were served, no VM was handed out twice, and none was left.");
        }
    }

    private static void tell(Report report, String heading, int askers, PoolTrial.Findings found) {
        report.heading(heading);
        List<Samples> rows = new ArrayList<>();
        rows.add(PoolTrial.samples("an acquire that found one ready", found.ready));
        rows.add(PoolTrial.samples("an acquire that waited", found.waited));
        rows.add(PoolTrial.samples("one entry, from its beginning to its shelf", found.restores));
        report.table(rows);
        report.note(String.format(
                Locale.ROOT,
                "%d bursts of %d: %d served, %d told that they are late; no caller was overtaken by more than %d that"
                        + " had asked later; no VM was handed out twice, and none was left.",
                found.bursts,
                askers,
                found.served,
                found.late,
                found.overtaken));
        report.table(List.of(
                PoolTrial.samples("call of an acquire to the beginning of a refill, pool at rest", found.refills),
                PoolTrial.samples("call of a burst's first acquire to the same", found.firstRefills),
                PoolTrial.samples("the whole acquire, pool at rest", found.alone)));
    }

    static SnapshotRef snapshot(InMemoryProvider provider) {
        VmSpec spec = VmSpec.of(VmId.random(), RootDisk.raw(Path.of("/disk"))).withMemoryMiB(MEMORY);
        try (Vm maker = provider.create(spec.asTemplateMaker())) {
            maker.start(BenchVm.patience());
            SnapshotRef taken = maker.snapshot(new SnapshotName("burst"), BenchVm.patience());
            maker.destroy();
            return taken;
        }
    }

    private static void pass(double millis) {
        long until = System.nanoTime() + (long) (millis * 1e6);
        while (System.nanoTime() < until && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(until - System.nanoTime());
        }
    }
}
