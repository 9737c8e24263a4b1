package dev.cloche.bench.compare;

import dev.cloche.bench.probe.BareClone;
import dev.cloche.bench.probe.BareMachine;
import dev.cloche.bench.probe.BenchVm;
import dev.cloche.bench.probe.BootedTemplate;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import dev.cloche.bench.report.Samples;
import dev.cloche.qemu.QemuProvider;
import dev.cloche.qemu.VmResources;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Measures from a snapshot to the answer of a first command, in a JVM that is warm, beside a bare restore of the same
 * files, for two sizes of memory, and beside a cold boot.
 */
public final class Restore {
    private static final int SMALL = 256;
    private static final int LARGE = 1024;
    private static final int WARM_UP = 10;

    private final Setting setting;

    public Restore(Setting setting) {
        this.setting = setting;
    }

    public void measure(int rounds, Report report) throws Exception {
        Path directory = Files.createTempDirectory(setting.directory(), "restore");
        BareMachine machine = new BareMachine(VmResources.find(List.of(setting.share())), setting);
        try (QemuProvider provider = setting.provider()) {
            BootedTemplate small = BootedTemplate.make(setting, provider, SMALL);
            BootedTemplate large = BootedTemplate.make(setting, provider, LARGE);
            VmSpec boot = VmSpec.of(VmId.random(), setting.layer()).withMemoryMiB(SMALL);
            List<Samples> rows = new Alternation()
                    .add("restore through Cloche, " + SMALL + " MiB", () -> ours(provider, small.clone(VmId.random())))
                    .add("bare restore, " + SMALL + " MiB", () -> bare(machine, small, directory))
                    .add("restore through Cloche, " + LARGE + " MiB", () -> ours(provider, large.clone(VmId.random())))
                    .add("bare restore, " + LARGE + " MiB", () -> bare(machine, large, directory))
                    .add("cold boot through Cloche, " + SMALL + " MiB", () -> ours(provider, boot))
                    .warmUp(WARM_UP)
                    .run(rounds);
            report.heading("Snapshot to the end of a first `true`");
            report.table(rows.subList(0, 2));
            report.table(rows.subList(2, 4));
            report.table(List.of(rows.get(2), rows.get(0)));
            report.table(List.of(rows.get(0), rows.get(4)));
        }
    }

    private static long ours(VmProvider provider, VmSpec spec) {
        long begin = System.nanoTime();
        try (Vm vm = provider.create(spec)) {
            vm.start(BenchVm.patience());
            try (GuestExecution execution = vm.guest().exec(ExecRequest.of("true"), BenchVm.patience())) {
                if (!execution.await(BenchVm.patience()).success()) {
                    throw new IllegalStateException("true is not true");
                }
            }
            long taken = System.nanoTime() - begin;
            vm.kill(BenchVm.patience());
            vm.destroy();
            return taken;
        }
    }

    private static long bare(BareMachine machine, BootedTemplate template, Path directory)
            throws IOException, InterruptedException {
        long begin = System.nanoTime();
        try (BareClone clone = BareClone.restore(machine, template, directory)) {
            clone.guest().runTrue();
            return System.nanoTime() - begin;
        }
    }
}
