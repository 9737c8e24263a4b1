package dev.cloche.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** A cold run with the small kernel beside one with Debian's, and what QEMU takes of the host's memory for each. */
final class Kernels {
    private final Setting setting;

    Kernels(Setting setting) {
        this.setting = setting;
    }

    void measure(int rounds, Report report) throws Exception {
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
        double ofSmall = bareSmall.memoryAfterTrue() / 1024.0;
        double ofDebian = bareDebian.memoryAfterTrue() / 1024.0;
        report.note(String.format(
                Locale.ROOT,
                "Memory (PSS) of QEMU with 512 MiB after a first `true`: %.0f MiB small, %.0f MiB Debian's, ratio %.2f.",
                ofSmall,
                ofDebian,
                ofSmall / ofDebian));
    }

    private BareQemu bare(Path kernel) throws IOException {
        return new BareQemu(setting, List.of(kernel, setting.share()));
    }
}
