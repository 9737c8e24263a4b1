package dev.cloche.bench.probe;

import dev.cloche.bench.report.Samples;
import dev.cloche.pool.DepthPolicy;
import dev.cloche.pool.PoolConfig;
import dev.cloche.pool.PoolStartKind;
import dev.cloche.pool.Registration;
import dev.cloche.pool.StackKey;
import dev.cloche.pool.WarmPool;
import dev.cloche.pool.WarmVm;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmProvider;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

/**
 * Acquires VMs of a pool, and tells what of each acquire is the pool's own: all but the time in calls of the provider
 * and its VMs.
 */
public final class PoolShare implements AutoCloseable {
    private final TimedVms timed;
    private final WarmPool pool;
    private final StackKey key;
    private final List<Double> own = new ArrayList<>();
    private final List<Double> whole = new ArrayList<>();

    public PoolShare(VmProvider vms, SnapshotRef snapshot) {
        timed = new TimedVms(vms);
        pool = WarmPool.start(timed.provider(), PoolConfig.DEFAULT);
        key = new StackKey("base", "1", snapshot.cpus(), snapshot.memoryMiB());
        pool.register(key, Registration.of(snapshot).withDepth(DepthPolicy.of(1)));
    }

    public void awaitRest() {
        RestingPool.await(pool);
    }

    /** Holds refills back until what it returns is closed. */
    public TimedVms.Hold hold() {
        return timed.hold();
    }

    /** Acquires a VM that is ready, and records how long that took. */
    public WarmVm acquire() {
        long inside = timed.inside();
        long begin = System.nanoTime();
        WarmVm warm = pool.acquire(key, () -> GuestIdentity.fresh("warm", Clock.systemUTC()), BenchVm.patience());
        long taken = System.nanoTime() - begin;
        if (warm.kind() != PoolStartKind.WARM) {
            throw new IllegalStateException("it was " + warm.kind());
        }
        own.add((taken - (timed.inside() - inside)) / 1e6);
        whole.add(taken / 1e6);
        return warm;
    }

    /** Returns the latest acquires, as many: the pool's own share, and all of it. */
    public List<Samples> latest(int count, String vms) {
        return List.of(
                PoolTrial.samples("the pool's own share, " + vms, own.subList(own.size() - count, own.size())),
                PoolTrial.samples("the whole acquire, " + vms, whole.subList(whole.size() - count, whole.size())));
    }

    @Override
    public void close() {
        pool.unregister(key);
        pool.close();
    }
}
