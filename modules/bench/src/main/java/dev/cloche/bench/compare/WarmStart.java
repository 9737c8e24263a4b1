package dev.cloche.bench.compare;

import dev.cloche.bench.probe.BareClone;
import dev.cloche.bench.probe.BareMachine;
import dev.cloche.bench.probe.BenchVm;
import dev.cloche.bench.probe.BootedTemplate;
import dev.cloche.bench.probe.HaltedClone;
import dev.cloche.bench.probe.PoolShare;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.probe.TimedVms;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import dev.cloche.bench.report.Samples;
import dev.cloche.pool.WarmVm;
import dev.cloche.qemu.QemuProvider;
import dev.cloche.qemu.VmResources;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.testing.InMemoryProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

/**
 * Measures from the wish for a guest to the end of its first command, in a JVM that is warm: handed out by a pool,
 * restored, booted, and restored by QEMU alone; and the three steps of a hand-over done by hand. Of an acquire also the
 * pool's own share.
 */
public final class WarmStart {
    private static final int MEMORY = 256;
    private static final int WARM_UP = 5;
    private static final int HAND_OVERS_BEFORE = 30;
    /** Samples of VMs in memory for each of QEMU's. */
    private static final int MEMORY_ROUNDS = 50;

    private final Setting setting;

    public WarmStart(Setting setting) {
        this.setting = setting;
    }

    public void measure(int rounds, Report report) throws Exception {
        // First, so that the JVM has compiled what a pool does: no user of a pool starts a JVM for each acquire.
        List<Samples> inMemory = inMemory(rounds * MEMORY_ROUNDS);
        Path directory = Files.createTempDirectory(setting.directory(), "warm");
        BareMachine machine = new BareMachine(VmResources.find(List.of(setting.share())), setting);
        try (QemuProvider provider = setting.provider()) {
            BootedTemplate template = BootedTemplate.make(setting, provider, MEMORY);
            VmSpec boot = VmSpec.of(VmId.random(), setting.layer()).withMemoryMiB(MEMORY);
            try (PoolShare pool = new PoolShare(provider, template.snapshot());
                    HaltedClone halted = new HaltedClone(machine, template, directory)) {
                for (int i = 0; i < HAND_OVERS_BEFORE; i++) {
                    warm(pool);
                    halted.timeHandOver();
                }
                List<Samples> rows = new Alternation()
                        .add("warm, from the pool", () -> warm(pool))
                        .add("warm, from the pool, its refill held back meanwhile", () -> held(pool))
                        .add("continued, identity and `true` by hand", halted::timeHandOver)
                        .add("restored through Cloche", () -> started(provider, template.clone(VmId.random())))
                        .add("cold, booted through Cloche", () -> started(provider, boot))
                        .add("restored by QEMU alone", () -> bare(machine, template, directory))
                        .warmUp(WARM_UP)
                        .run(rounds);
                report.heading("A guest to the end of its first `true`, " + MEMORY + " MiB");
                report.table(rows.subList(0, 3));
                report.table(rows);
                report.heading("An acquire of a warm guest with a new identity, without the `true`");
                report.table(pool.latest(rounds * 2, "QEMU"));
            }
        }
        report.table(inMemory);
    }

    /** The pool's share has nothing to do with what its VMs are, and here there can be many of them. */
    private static List<Samples> inMemory(int count) {
        try (InMemoryProvider memory = new InMemoryProvider();
                PoolShare pool = new PoolShare(memory, Bursts.snapshot(memory))) {
            for (int i = 0; i < count + WARM_UP; i++) {
                pool.awaitRest();
                pool.acquire().close();
            }
            return pool.latest(count, "VMs in memory");
        }
    }

    /** Measures without the cost of the refill, which begins at once and takes processor time of its own. */
    private static long held(PoolShare pool) {
        pool.awaitRest();
        try (TimedVms.Hold _ = pool.hold()) {
            return warm(pool);
        }
    }

    private static long warm(PoolShare pool) {
        pool.awaitRest();
        long begin = System.nanoTime();
        try (WarmVm warm = pool.acquire()) {
            Vm vm = warm.take();
            runTrue(vm);
            long taken = System.nanoTime() - begin;
            end(vm);
            return taken;
        }
    }

    private static long started(VmProvider provider, VmSpec spec) {
        long begin = System.nanoTime();
        Vm vm = provider.create(spec);
        vm.start(() -> GuestIdentity.fresh("started", Clock.systemUTC()), BenchVm.patience());
        runTrue(vm);
        long taken = System.nanoTime() - begin;
        end(vm);
        return taken;
    }

    private static void runTrue(Vm vm) {
        try (GuestExecution execution = vm.guest().exec(ExecRequest.of("true"), BenchVm.patience())) {
            if (!execution.await(BenchVm.patience()).success()) {
                throw new IllegalStateException("true is not true");
            }
        }
    }

    private static void end(Vm vm) {
        var _ = vm.kill(BenchVm.patience());
        vm.destroy();
        vm.close();
    }

    private static long bare(BareMachine machine, BootedTemplate template, Path directory)
            throws IOException, InterruptedException {
        long begin = System.nanoTime();
        try (BareClone clone = BareClone.restore(machine, template, directory)) {
            clone.guest().runTrue();
            return System.nanoTime() - begin;
        }
    }
}
