package dev.cloche.bench.compare;

import dev.cloche.bench.probe.BareMachine;
import dev.cloche.bench.probe.BenchVm;
import dev.cloche.bench.probe.BootedTemplate;
import dev.cloche.bench.probe.GuardProcess;
import dev.cloche.bench.probe.IdleClones;
import dev.cloche.bench.probe.ProportionalSize;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Report;
import dev.cloche.bench.report.Samples;
import dev.cloche.qemu.QemuProvider;
import dev.cloche.qemu.VmResources;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures what each of several idle clones of one template takes of the host's memory, with its guard, beside as many
 * bare ones. All have their identity and have answered a ping.
 */
public final class Memory {
    private static final int MEMORY_MIB = 256;

    private final Setting setting;

    public Memory(Setting setting) {
        this.setting = setting;
    }

    public void measure(int rounds, Report report) throws Exception {
        double[] qemu = new double[rounds];
        double[] guard = new double[rounds];
        double[] both = new double[rounds];
        double[] bare = new double[rounds];
        BareMachine machine = new BareMachine(VmResources.find(List.of(setting.share())), setting);
        try (QemuProvider provider = setting.provider()) {
            BootedTemplate template = BootedTemplate.make(setting, provider, MEMORY_MIB);
            for (int round = 0; round < rounds; round++) {
                ProportionalSize.Pair ours = ours(provider, template);
                qemu[round] = ours.child();
                guard[round] = ours.parent();
                both[round] = ours.parent() + ours.child();
                bare[round] = IdleClones.mebibytes(setting, machine, template);
            }
        }
        report.heading("Memory (PSS) of an idle clone of " + MEMORY_MIB + " MiB, mean of " + IdleClones.CLONES
                + " that run at once");
        report.table(List.of(
                new Samples("QEMU and guard through Cloche", Samples.Unit.MEBIBYTES, both),
                new Samples("its QEMU", Samples.Unit.MEBIBYTES, qemu),
                new Samples("its guard", Samples.Unit.MEBIBYTES, guard),
                new Samples("a bare clone", Samples.Unit.MEBIBYTES, bare)));
    }

    private ProportionalSize.Pair ours(VmProvider provider, BootedTemplate template)
            throws IOException, InterruptedException {
        List<Vm> clones = new ArrayList<>();
        try {
            for (int i = 0; i < IdleClones.CLONES; i++) {
                Vm vm = provider.create(template.clone(VmId.random()));
                clones.add(vm);
                vm.start(BenchVm.patience());
                vm.guest().ping(BenchVm.patience());
            }
            Thread.sleep(IdleClones.SETTLE_MILLIS);
            double guards = 0;
            double qemus = 0;
            for (Vm vm : clones) {
                Path record =
                        setting.home().resolve("vms").resolve(vm.id().value()).resolve("guard.json");
                ProportionalSize.Pair pair = ProportionalSize.ofGuarded(GuardProcess.of(record));
                guards += pair.parent() / IdleClones.CLONES;
                qemus += pair.child() / IdleClones.CLONES;
            }
            return new ProportionalSize.Pair(guards, qemus);
        } finally {
            for (Vm vm : clones) {
                vm.close();
                vm.destroy();
            }
        }
    }
}
