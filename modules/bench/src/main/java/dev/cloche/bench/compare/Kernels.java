package dev.cloche.bench.compare;

import dev.cloche.bench.probe.BareQemu;
import dev.cloche.bench.probe.Launcher;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import dev.cloche.bench.report.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Measures a cold run with the small kernel beside one with Debian's, and what QEMU takes of the host's memory for each. */
public final class Kernels {
    private final Setting setting;

    public Kernels(Setting setting) {
        this.setting = setting;
    }

    public void measure(int rounds, Report report) throws Exception {
        report.heading("Cold run with the small kernel and with Debian's, whole process");
        Path small = setting.share().resolve("kernels/small");
        Path debian = setting.share().resolve("kernels/debian");
        if (!Files.exists(small.resolve("initramfs")) || !Files.exists(debian.resolve("initramfs"))) {
            report.note("Not measured, one is missing: run ./setup --kernel small and ./setup --kernel debian.");
            return;
        }
        Launcher withSmall = setting.launcher().withShare(small);
        Launcher withDebian = setting.launcher().withShare(debian);
        report.table(new Alternation()
                .add("`cloche run base -- true`, small", () -> withSmall.time("run", "base", "--", "true"))
                .add("`cloche run base -- true`, Debian's", () -> withDebian.time("run", "base", "--", "true"))
                .run(rounds));
        BareQemu bareSmall = bare(small);
        BareQemu bareDebian = bare(debian);
        report.table(new Alternation()
                .add("bare QEMU, small", bareSmall::timeTrue)
                .add("bare QEMU, Debian's", bareDebian::timeTrue)
                .run(rounds));
        report.heading("Memory (PSS) of QEMU with 512 MiB after a first `true`");
        report.table(memory(rounds, bareSmall, bareDebian));
    }

    private static List<Samples> memory(int rounds, BareQemu small, BareQemu debian) throws Exception {
        double[] ofSmall = new double[rounds];
        double[] ofDebian = new double[rounds];
        for (int round = 0; round < rounds; round++) {
            ofSmall[round] = small.memoryAfterTrue();
            ofDebian[round] = debian.memoryAfterTrue();
        }
        return List.of(
                new Samples("small", Samples.Unit.MEBIBYTES, ofSmall),
                new Samples("Debian's", Samples.Unit.MEBIBYTES, ofDebian));
    }

    private BareQemu bare(Path kernel) throws IOException {
        return new BareQemu(setting, List.of(kernel, setting.share()));
    }
}
