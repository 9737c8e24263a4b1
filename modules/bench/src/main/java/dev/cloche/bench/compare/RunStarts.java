package dev.cloche.bench.compare;

import dev.cloche.Cloche;
import dev.cloche.Sandbox;
import dev.cloche.bench.probe.BareMachine;
import dev.cloche.bench.probe.BareQemu;
import dev.cloche.bench.probe.BootedTemplate;
import dev.cloche.bench.probe.FullPool;
import dev.cloche.bench.probe.HaltedClone;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import dev.cloche.image.PullListener;
import dev.cloche.qemu.QemuProvider;
import dev.cloche.qemu.VmResources;
import dev.cloche.sandbox.TemplateMaking;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Measures a start to the end of the sandbox's first command by how its VM came to be, beside bare QEMU: of a whole {@code cloche
 * run}, and as an application calls it. Shapes differ, so that each is what it is called.
 */
public final class RunStarts {
    private static final int WARM = 256;
    private static final int RESTORED = 260;
    private static final int COLD = 264;
    /** Warm starts before those that count: applications that keep a pool are not in their first second. */
    private static final int STARTS_BEFORE = 150;

    private final Setting setting;

    /** Creates the benchmark in a setting. */
    public RunStarts(Setting setting) {
        this.setting = setting;
    }

    /** Says which ways of a start are measured besides a warm one and the steps by hand. */
    private enum Others {
        ALL,
        NONE
    }

    /** Takes the time of one start. */
    private interface Start {
        long time(Cloche cloche, int memory) throws Exception;
    }

    /** Measures whole processes. */
    public void measureCommands(int rounds, Report report) throws Exception {
        report.heading("`cloche run base -- true`, whole process");
        measure(
                (_, memory) -> setting.launcher().time("run", "-m", memory + "m", "base", "--", "true"),
                Optional.empty(),
                Others.ALL,
                1,
                rounds,
                report);
    }

    /** Measures calls in a JVM that runs, which is warmed up, each way of a start by lot. */
    public void measureCalls(int rounds, Report report) throws Exception {
        measureCalls(Others.ALL, rounds, report);
    }

    /** Measures calls in a JVM that does warm starts alone, beside the same by hand. */
    public void measureWarmCalls(int rounds, Report report) throws Exception {
        measureCalls(Others.NONE, rounds, report);
    }

    private void measureCalls(Others others, int rounds, Report report) throws Exception {
        report.heading("`cloche.sandbox(\"base\").start()` to the end of its first `true`, in a JVM that runs");
        Path directory = Files.createTempDirectory(setting.directory(), "by-hand");
        BareMachine machine = new BareMachine(VmResources.find(List.of(setting.share())), setting);
        try (QemuProvider provider = setting.provider();
                HaltedClone halted =
                        new HaltedClone(machine, BootedTemplate.make(setting, provider, WARM), directory)) {
            measure(RunStarts::call, Optional.of(halted), others, 5, rounds, report);
        }
    }

    private void measure(
            Start start, Optional<HaltedClone> byHand, Others others, int warmUp, int rounds, Report report)
            throws Exception {
        BareQemu bare = new BareQemu(setting, List.of(setting.share()));
        FullPool full = new FullPool();
        try (Cloche cloche = Cloche.open(setting.options());
                Cloche staying = Cloche.open(setting.options()
                        .withTemplateMaking(new TemplateMaking.InBackground())
                        .withPoolListener(full))) {
            var _ = cloche.templates().make(cloche.sandbox("base").memoryMib(RESTORED));
            (byHand.isPresent() ? staying : cloche)
                    .pools()
                    .pool("base")
                    .memoryMib(WARM)
                    .set();
            try {
                Alternation rows = new Alternation();
                if (byHand.isPresent()) {
                    for (int i = 0; i < STARTS_BEFORE; i++) {
                        kept(staying, full, start);
                    }
                    rows.add("warm, from a pool that this process keeps", () -> kept(staying, full, start))
                            .add("a halted clone continued, identity and `true` by hand", byHand.get()::timeHandOver);
                } else {
                    rows.add("warm, from a pool", () -> filledFirst(cloche, start));
                }
                if (others == Others.ALL) {
                    rows.add("restored from a template", () -> start.time(cloche, RESTORED))
                            .add("cold", () -> start.time(cloche, COLD))
                            .add("bare QEMU, booted, to the end of its first `true`", bare::timeTrue);
                }
                report.table(rows.warmUp(warmUp).byLot().run(rounds));
                long hits = cloche.pools().list().getFirst().hits();
                if (hits < rounds) {
                    throw new IllegalStateException("only " + hits + " of " + rounds + " were warm");
                }
            } finally {
                cloche.pools().pool("base").memoryMib(WARM).remove();
            }
        }
    }

    private static long filledFirst(Cloche cloche, Start start) throws Exception {
        List<String> errors = cloche.pools().fill(PullListener.none());
        if (!errors.isEmpty()) {
            throw new IllegalStateException(errors.getFirst());
        }
        return start.time(cloche, WARM);
    }

    /** In an application, which keeps its pool; it is at rest when the time begins. */
    private static long kept(Cloche cloche, FullPool full, Start start) throws Exception {
        full.await(cloche);
        return start.time(cloche, WARM);
    }

    private static long call(Cloche cloche, int memory) {
        long begin = System.nanoTime();
        try (Sandbox sandbox = cloche.sandbox("base").memoryMib(memory).start()) {
            if (sandbox.exec("true").exitCode() != 0) {
                throw new IllegalStateException("true is not true");
            }
            return System.nanoTime() - begin;
        }
    }
}
