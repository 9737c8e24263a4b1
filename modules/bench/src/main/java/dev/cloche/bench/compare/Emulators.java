package dev.cloche.bench.compare;

import dev.cloche.bench.probe.BareClone;
import dev.cloche.bench.probe.BareMachine;
import dev.cloche.bench.probe.BareQemu;
import dev.cloche.bench.probe.BootedTemplate;
import dev.cloche.bench.probe.EmulatorSurface;
import dev.cloche.bench.probe.IdleClones;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.probe.Spent;
import dev.cloche.bench.report.Report;
import dev.cloche.bench.report.Samples;
import dev.cloche.qemu.QemuProvider;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.VmResources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Measures our own QEMU beside the system's, by themselves, with the same kernel: starts, boots, restores and memory. */
public final class Emulators {
    private static final Path SYSTEMS = Path.of("/usr/bin/qemu-system-x86_64");
    private static final int MEMORY_MIB = 256;
    private static final String OURS = "our QEMU";
    private static final String THE_SYSTEMS = "the system's";

    private final Setting setting;

    public Emulators(Setting setting) {
        this.setting = setting;
    }

    public void measure(int rounds, Report report) throws Exception {
        Path own = setting.share().resolve("emulator/bin/qemu-system-x86_64");
        if (!Files.isExecutable(own) || !Files.isExecutable(SYSTEMS)) {
            report.heading("Our QEMU and the system's");
            report.note("Not measured, one is missing: run ./setup --runtime.");
            return;
        }
        VmResources ours = with(own);
        VmResources systems = with(SYSTEMS);
        BareQemu bareOurs = new BareQemu(setting, ours);
        BareQemu bareSystems = new BareQemu(setting, systems);
        measure(
                "start to the greeting of the monitor",
                bareOurs::spentOnGreeting,
                bareSystems::spentOnGreeting,
                rounds,
                report);
        measure("boot to the end of a first `true`", bareOurs::spentOnTrue, bareSystems::spentOnTrue, rounds, report);
        measureClones(ours, systems, rounds, report);
        countSurface(bareOurs, bareSystems, own, report);
        report.note("Our program has " + mebibytes(own) + " MiB, the system's " + mebibytes(SYSTEMS)
                + " MiB, without its libraries.");
    }

    private interface Subject {
        Spent measure() throws Exception;
    }

    private static void measure(String what, Subject ours, Subject systems, int rounds, Report report)
            throws Exception {
        double[][] wall = new double[2][rounds];
        double[][] processor = new double[2][rounds];
        for (int round = -1; round < rounds; round++) {
            Spent[] spent = {ours.measure(), systems.measure()};
            for (int i = 0; i < spent.length && round >= 0; i++) {
                wall[i][round] = spent[i].wall() / 1e6;
                processor[i][round] = spent[i].processor() / 1e6;
            }
        }
        report.heading("Our QEMU and the system's: " + what);
        report.table(List.of(new Samples(OURS, wall[0]), new Samples(THE_SYSTEMS, wall[1])));
        report.heading("Our QEMU and the system's, processor time: " + what);
        report.table(List.of(new Samples(OURS, processor[0]), new Samples(THE_SYSTEMS, processor[1])));
    }

    private void measureClones(VmResources ours, VmResources systems, int rounds, Report report) throws Exception {
        BareMachine bareOurs = new BareMachine(ours, setting);
        BareMachine bareSystems = new BareMachine(systems, setting);
        BootedTemplate ofOurs = template(ours);
        BootedTemplate ofSystems = template(systems);
        measure(
                "restore of " + MEMORY_MIB + " MiB to the end of a first `true`",
                () -> restore(bareOurs, ofOurs),
                () -> restore(bareSystems, ofSystems),
                rounds,
                report);
        double[] memoryOfOurs = new double[rounds];
        double[] memoryOfSystems = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            memoryOfOurs[round] = IdleClones.mebibytes(setting, bareOurs, ofOurs);
            memoryOfSystems[round] = IdleClones.mebibytes(setting, bareSystems, ofSystems);
        }
        report.heading("Our QEMU and the system's: memory (PSS) of an idle clone of " + MEMORY_MIB + " MiB, mean of "
                + IdleClones.CLONES + " that run at once");
        report.table(List.of(
                new Samples(OURS, Samples.Unit.MEBIBYTES, memoryOfOurs),
                new Samples(THE_SYSTEMS, Samples.Unit.MEBIBYTES, memoryOfSystems)));
    }

    private BootedTemplate template(VmResources resources) throws IOException {
        try (QemuProvider provider = new QemuProvider(VmLayout.of(setting.home()), resources)) {
            return BootedTemplate.make(setting, provider, MEMORY_MIB);
        }
    }

    private Spent restore(BareMachine machine, BootedTemplate template) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory(setting.directory(), "restore");
        long begin = System.nanoTime();
        try (BareClone clone = BareClone.restore(machine, template, directory)) {
            clone.guest().runTrue();
            return Spent.since(begin, clone.pid());
        }
    }

    private void countSurface(BareQemu ours, BareQemu systems, Path own, Report report) throws Exception {
        report.note("Devices that it has for guests, processors aside: " + EmulatorSurface.devices(own) + " beside "
                + EmulatorSurface.devices(SYSTEMS) + " of the system's.");
        if (!EmulatorSurface.countsCalls()) {
            report.note("System calls were not counted, there is no strace.");
            return;
        }
        EmulatorSurface.Calls ofOurs = EmulatorSurface.callsUntilTrue(ours, setting.directory());
        EmulatorSurface.Calls ofSystems = EmulatorSurface.callsUntilTrue(systems, setting.directory());
        report.note("System calls from its start to the end of a first `true`: " + ofOurs.all() + " of "
                + ofOurs.kinds() + " kinds beside " + ofSystems.all() + " of " + ofSystems.kinds() + ".");
    }

    private VmResources with(Path qemu) {
        VmResources all = VmResources.find(List.of(setting.share()));
        return new VmResources(
                qemu, all.guard(), all.clockMeter(), all.kernel(), all.passt(), all.formatter(), all.origin());
    }

    private static String mebibytes(Path file) throws IOException {
        return "%.1f".formatted(Files.size(file.toRealPath()) / 1048576.0);
    }
}
