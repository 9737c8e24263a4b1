package dev.cloche.bench;

import java.util.List;

/** A cold run of a cached image, from the shell, beside bare QEMU with the same kernel, initramfs and disk. */
final class ColdRun {
    private final Setting setting;

    ColdRun(Setting setting) {
        this.setting = setting;
    }

    void measure(int rounds, Report report) throws Exception {
        BareQemu bare = new BareQemu(setting, List.of(setting.share()));
        report.heading("Cold run of a cached image, whole process");
        report.table(new Alternation()
                .add("`cloche run base -- true`", () -> setting.launcher().time("run", "base", "--", "true"))
                .add("bare QEMU to the end of its first `true`", bare::timeTrue)
                .run(rounds));
    }
}
