package dev.cloche.bench.compare;

import dev.cloche.Cloche;
import dev.cloche.PullProgress;
import dev.cloche.Sandbox;
import dev.cloche.bench.probe.BareQemu;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import java.util.List;

/**
 * Measures what an application waits for: from {@code cloche.sandbox("base").start()} to the end of the sandbox's first command, by how its
 * VM came to be, beside bare QEMU. Shapes differ, so that each is what it is called.
 */
public final class LibraryStarts {
    private static final int WARM = 256;
    private static final int RESTORED = 260;
    private static final int COLD = 264;
    private static final int WARM_UP = 5;

    private final Setting setting;

    public LibraryStarts(Setting setting) {
        this.setting = setting;
    }

    public void measure(int rounds, Report report) throws Exception {
        BareQemu bare = new BareQemu(setting, List.of(setting.share()));
        try (Cloche cloche = Cloche.open(setting.options())) {
            var _ = cloche.templates().make("base", RESTORED, 1, PullProgress.silent());
            cloche.pools().set("base", WARM, 1, 1);
            try {
                report.heading("`cloche.sandbox(\"base\").start()` to the end of its first `true`, in a JVM that runs");
                report.table(new Alternation()
                        .add("warm, from a pool", () -> warm(cloche))
                        .add("restored from a template", () -> start(cloche, RESTORED))
                        .add("cold", () -> start(cloche, COLD))
                        .add("bare QEMU, booted, to the end of its first `true`", bare::timeTrue)
                        .warmUp(WARM_UP)
                        .run(rounds));
                long hits = cloche.pools().list().getFirst().hits();
                if (hits < rounds) {
                    throw new IllegalStateException("only " + hits + " of " + rounds + " were warm");
                }
            } finally {
                cloche.pools().remove("base", WARM, 1);
            }
        }
    }

    private static long warm(Cloche cloche) {
        List<String> errors = cloche.pools().fill(PullProgress.silent());
        if (!errors.isEmpty()) {
            throw new IllegalStateException(errors.getFirst());
        }
        return start(cloche, WARM);
    }

    private static long start(Cloche cloche, int memory) {
        long begin = System.nanoTime();
        try (Sandbox sandbox = cloche.sandbox("base").memory(memory).start()) {
            if (sandbox.exec("true").exitCode() != 0) {
                throw new IllegalStateException("true is not true");
            }
            return System.nanoTime() - begin;
        }
    }
}
