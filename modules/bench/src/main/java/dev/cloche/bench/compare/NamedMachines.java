package dev.cloche.bench.compare;

import dev.cloche.Cloche;
import dev.cloche.Machines;
import dev.cloche.Sandbox;
import dev.cloche.Sandboxes;
import dev.cloche.bench.probe.BareQemu;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import java.time.Duration;
import java.util.List;

/** Measures the life of a named machine in a warm JVM, beside a cold boot of the same kernel and image in bare QEMU. */
public final class NamedMachines {
    private static final String NAME = "bench";
    private static final String COPY = "copy";
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final Setting setting;

    public NamedMachines(Setting setting) {
        this.setting = setting;
    }

    public void measure(int rounds, Report report) throws Exception {
        BareQemu bare = new BareQemu(setting, List.of(setting.share()));
        try (Cloche cloche = Cloche.open(setting.options())) {
            Machines machines = cloche.machines();
            machines.create(NAME, "base").memoryMib(256).cpus(1).diskGib(1).make();
            report.heading("Named machines");
            // Each is the next step of one life, so their order is part of what they are.
            report.table(new Alternation()
                    .add("start, to READY", timed(() -> machines.start(NAME).close()))
                    .add("suspend", timed(() -> machines.suspend(NAME)))
                    .add("continue, to READY", timed(() -> machines.start(NAME).close()))
                    .add("clone of the running machine", timed(() -> machines.copy(NAME, COPY, false)))
                    .add("removal of the clone", timed(() -> machines.remove(COPY, true)))
                    .add("clone with its memory", timed(() -> machines.copy(NAME, COPY, true)))
                    .add(
                            "continue of that clone, to READY",
                            timed(() -> machines.start(COPY).close()))
                    .add("removal of it while it runs", timed(() -> machines.remove(COPY, true)))
                    .add("stop in order", timed(() -> machines.stop(NAME, GRACE)))
                    .add("bare QEMU to the end of its first `true`", bare::timeTrue)
                    .run(rounds));
            machines.remove(NAME, true);
        }
        measureSuspension(rounds, report);
        report.note("256 MiB, 1 CPU, a persistent disk of 1 GiB with the image `base`; every change of state is on the"
                + " host's disk when it counts as done. Bare QEMU has no disk but the image and keeps nothing.");
    }

    /** The sandbox has what the machine has. */
    private void measureSuspension(int rounds, Report report) throws Exception {
        try (Cloche cloche = Cloche.open(setting.options())) {
            Machines machines = cloche.machines();
            Sandboxes sandboxes = cloche.sandboxes();
            machines.create(NAME, "base").memoryMib(256).cpus(1).diskGib(1).make();
            machines.start(NAME).close();
            cloche.sandbox("base")
                    .name(NAME)
                    .memoryMib(256)
                    .cpus(1)
                    .diskMib(1024)
                    .command("sleep", "infinity")
                    .detached()
                    .start();
            cloche.snapshots().create(NAME, NAME);
            report.heading("Suspension of sandboxes");
            report.table(new Alternation()
                    .add("suspend a sandbox", timed(() -> sandboxes.suspend(NAME)))
                    .add("resume it, to the end of a first `true`", timed(() -> {
                        sandboxes.resume(NAME);
                        askIn(cloche.connect(NAME));
                    }))
                    .add(
                            "restore a snapshot of it, to the end of a first `true`",
                            timed(() -> askIn(cloche.restore(NAME).start())))
                    .add(
                            "continue the machine, to READY",
                            timed(() -> machines.start(NAME).close()))
                    .add("suspend the machine", timed(() -> machines.suspend(NAME)))
                    .run(rounds));
            sandboxes.remove(NAME, true);
            cloche.snapshots().remove(NAME);
            machines.remove(NAME, true);
        }
    }

    private static void askIn(Sandbox started) {
        try (Sandbox sandbox = started) {
            sandbox.exec("true").orThrow();
        }
    }

    private static Alternation.Subject timed(Runnable work) {
        return () -> {
            long begin = System.nanoTime();
            work.run();
            return System.nanoTime() - begin;
        };
    }
}
