package dev.cloche.bench.compare;

import dev.cloche.bench.probe.ClaimingGuards;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import dev.cloche.bench.report.Samples;
import dev.cloche.qemu.QemuProvider;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.VmResources;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmLimits;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Measures the admission of a VM beside the claims of others that run: its directory made with limits, beside the same
 * without them.
 */
public final class Admissions {
    private static final int VMS = 64;
    private static final int MEMORY = 256;
    private static final int WARM_UP = 200;

    private final Setting setting;

    public Admissions(Setting setting) {
        this.setting = setting;
    }

    public void measure(int rounds, Report report) throws Exception {
        VmResources resources = VmResources.find(List.of(setting.share()));
        Path home = Files.createTempDirectory(setting.directory(), "claims");
        VmLayout layout = VmLayout.of(home);
        try (QemuProvider limited = new QemuProvider(layout, resources, Optional::empty, Admissions::limits);
                QemuProvider free = new QemuProvider(layout, resources, Optional::empty, VmLimits::off)) {
            List<Vm> claims = new ArrayList<>();
            for (int i = 0; i < VMS; i++) {
                claims.add(limited.create(spec()));
            }
            try (ClaimingGuards _ = ClaimingGuards.begin(resources.guard(), layout, claims)) {
                List<Samples> rows = new Alternation()
                        .add("a VM's directory made beside " + VMS + " VMs' claims", () -> made(limited))
                        .add("the same without limits", () -> made(free))
                        .warmUp(WARM_UP)
                        .run(rounds);
                report.heading("An admission beside " + VMS + " VMs");
                report.table(rows);
                report.note(rows.getFirst().difference(rows.getLast()));
            } finally {
                claims.forEach(vm -> {
                    vm.close();
                    vm.destroy();
                });
            }
        }
    }

    /** The usual ones, but for the bound of memory: 64 VMs are to have room on any host. */
    private static VmLimits limits() {
        VmLimits usual = VmLimits.DEFAULT;
        return new VmLimits(
                new VmLimits.Amount.Size(1L << 20),
                usual.memoryFloor(),
                OptionalInt.of(99),
                usual.diskFloor(),
                usual.stateDisk(),
                usual.total(),
                usual.labels(),
                usual.clones(),
                usual.underPressure());
    }

    private VmSpec spec() throws Exception {
        return VmSpec.of(VmId.random(), setting.layer()).withMemoryMiB(MEMORY);
    }

    private long made(VmProvider provider) throws Exception {
        VmSpec spec = spec();
        long begin = System.nanoTime();
        Vm vm = provider.create(spec);
        long taken = System.nanoTime() - begin;
        vm.close();
        vm.destroy();
        return taken;
    }
}
