package dev.cloche.bench;

import dev.cloche.pool.DepthPolicy;
import dev.cloche.pool.PoolConfig;
import dev.cloche.pool.StackKey;
import dev.cloche.pool.StartKind;
import dev.cloche.pool.WarmPool;
import dev.cloche.pool.WarmVm;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.QemuProvider;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmResources;
import dev.cloche.vm.VmSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * From the wish for a guest to the end of its first command, in a JVM that is warm: handed out by a pool, restored, booted,
 * and restored by QEMU alone.
 */
final class WarmStart {
    private static final int MEMORY = 256;
    private static final int WARM_UP = 5;
    private static final long LOOK_NANOS = 1_000_000;

    private final Setting setting;

    WarmStart(Setting setting) {
        this.setting = setting;
    }

    void measure(int rounds, Report report) throws Exception {
        Path directory = Files.createTempDirectory(setting.directory(), "warm");
        BareMachine machine = new BareMachine(VmResources.find(List.of(setting.share())), setting.accelerator());
        try (QemuProvider provider = setting.provider()) {
            Template template = Template.make(setting, provider, MEMORY);
            VmSpec boot = VmSpec.of(VmId.random(), setting.layer()).withMemoryMiB(MEMORY);
            StackKey key = new StackKey("base", "1", 1, MEMORY);
            try (WarmPool pool = WarmPool.start(provider, PoolConfig.DEFAULT.withDepth(DepthPolicy.of(1)))) {
                pool.register(key, template.snapshot());
                List<Samples> rows = new Alternation()
                        .add("warm, from the pool", () -> warm(pool, key))
                        .add("restored through Cloche", () -> started(provider, template.clone(VmId.random())))
                        .add("cold, booted through Cloche", () -> started(provider, boot))
                        .add("restored by QEMU alone", () -> bare(machine, template, directory))
                        .warmUp(WARM_UP)
                        .run(rounds);
                report.heading("A guest to the end of its first `true`, " + MEMORY + " MiB");
                report.table(rows);
            }
        }
    }

    private static long warm(WarmPool pool, StackKey key) {
        // The pool is to be at rest: a refill beside it would be measured too.
        while (pool.metrics().keys().values().stream().anyMatch(now -> now.depth() < 1 || now.inFlight() > 0)) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
        long begin = System.nanoTime();
        try (WarmVm warm =
                pool.acquire(key, () -> GuestIdentity.fresh("warm", Clock.systemUTC()), BenchVm.patience())) {
            if (warm.kind() != StartKind.WARM) {
                throw new IllegalStateException("it was " + warm.kind());
            }
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

    private static long bare(BareMachine machine, Template template, Path directory)
            throws IOException, InterruptedException {
        long begin = System.nanoTime();
        try (BareClone clone = BareClone.restore(machine, template, directory)) {
            clone.guest().runTrue();
            return System.nanoTime() - begin;
        }
    }
}
