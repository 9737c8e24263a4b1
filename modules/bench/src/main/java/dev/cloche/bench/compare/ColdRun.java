package dev.cloche.bench.compare;

import dev.cloche.bench.probe.BareQemu;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import java.util.List;

/** Measures a cold run of a cached image, from the shell, beside bare QEMU with the same kernel, initramfs and disk. */
public final class ColdRun {
    private final Setting setting;

    public ColdRun(Setting setting) {
        this.setting = setting;
    }

    public void measure(int rounds, Report report) throws Exception {
        BareQemu bare = new BareQemu(setting, List.of(setting.share()));
        report.heading("Cold run of a cached image, whole process");
        report.table(new Alternation()
                .add("`cloche run base -- true`", () -> setting.launcher().time("run", "base", "--", "true"))
                .add("bare QEMU to the end of its first `true`", bare::timeTrue)
                .run(rounds));
    }
}
