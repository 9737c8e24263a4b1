package dev.cloche.bench.compare;

import dev.cloche.Cloche;
import dev.cloche.Fork;
import dev.cloche.Sandbox;
import dev.cloche.bench.probe.BareClone;
import dev.cloche.bench.probe.BareMachine;
import dev.cloche.bench.probe.BootedTemplate;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import dev.cloche.bench.report.Samples;
import dev.cloche.qemu.QemuProvider;
import dev.cloche.qemu.VmResources;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Measures how long a fork halts its parent, beside QEMU told by hand to stop, to write its memory to a file and to go
 * on; and a child to the end of its first {@code true}, beside a sandbox that boots.
 */
public final class Forks {
    private static final int SMALL = 256;
    private static final int LARGE = 1024;
    private static final int CHILDREN = 4;
    private static final int WARM_UP = 3;

    private final Setting setting;

    public Forks(Setting setting) {
        this.setting = setting;
    }

    public void measure(int rounds, Report report) throws Exception {
        Path directory = Files.createTempDirectory(setting.directory(), "fork");
        BareMachine machine = new BareMachine(VmResources.find(List.of(setting.share())), setting);
        try (QemuProvider provider = setting.provider();
                Cloche cloche = Cloche.open(setting.options());
                Sandbox small = parent(cloche, SMALL);
                Sandbox large = parent(cloche, LARGE);
                BareClone bareSmall = bare(machine, BootedTemplate.make(setting, provider, SMALL), directory, "small");
                BareClone bareLarge =
                        bare(machine, BootedTemplate.make(setting, provider, LARGE), directory, "large")) {
            List<Samples> pauses = new Alternation()
                    .add("pause of a fork's parent, " + SMALL + " MiB", () -> pause(small))
                    .add("stop, migrate, cont by hand, " + SMALL + " MiB", () -> save(bareSmall, directory))
                    .add("pause of a fork's parent, " + LARGE + " MiB", () -> pause(large))
                    .add("stop, migrate, cont by hand, " + LARGE + " MiB", () -> save(bareLarge, directory))
                    .warmUp(WARM_UP)
                    .run(rounds);
            report.heading("What a fork costs the parent");
            report.table(pauses.subList(0, 2));
            report.table(pauses.subList(2, 4));
            List<Samples> children = new Alternation()
                    .add("one child, to the end of its first `true`", () -> children(small, 1))
                    .add(CHILDREN + " children, to the end of the last one's", () -> children(small, CHILDREN))
                    .add("a sandbox that boots", () -> booted(cloche))
                    .warmUp(WARM_UP)
                    .run(rounds);
            report.heading("A child, " + SMALL + " MiB");
            report.table(children);
        }
    }

    private static Sandbox parent(Cloche cloche, int memoryMib) {
        return cloche.sandbox("base").memoryMib(memoryMib).start();
    }

    private static BareClone bare(BareMachine machine, BootedTemplate template, Path directory, String name)
            throws Exception {
        BareClone clone = BareClone.restore(machine, template, Files.createDirectory(directory.resolve(name)));
        clone.guest().runTrue();
        return clone;
    }

    private static long pause(Sandbox parent) {
        try (Fork fork = parent.fork(1)) {
            return fork.pause().toNanos();
        }
    }

    private static long save(BareClone clone, Path directory) throws Exception {
        return clone.save(directory.resolve("memory"), directory.resolve("migration"));
    }

    private static long children(Sandbox parent, int count) {
        long begin = System.nanoTime();
        try (Fork fork = parent.fork(count)) {
            fork.children().forEach(Forks::runTrue);
            return System.nanoTime() - begin;
        }
    }

    private static long booted(Cloche cloche) {
        long begin = System.nanoTime();
        try (Sandbox sandbox = parent(cloche, SMALL)) {
            runTrue(sandbox);
            return System.nanoTime() - begin;
        }
    }

    private static void runTrue(Sandbox sandbox) {
        if (!sandbox.exec("true").exit().success()) {
            throw new IllegalStateException("true is not true");
        }
    }
}
