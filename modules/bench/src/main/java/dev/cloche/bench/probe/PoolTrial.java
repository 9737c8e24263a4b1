package dev.cloche.bench.probe;

import dev.cloche.bench.report.Samples;
import dev.cloche.pool.DepthPolicy;
import dev.cloche.pool.PoolConfig;
import dev.cloche.pool.PoolEvent;
import dev.cloche.pool.PoolStartKind;
import dev.cloche.pool.Registration;
import dev.cloche.pool.StackKey;
import dev.cloche.pool.WarmPool;
import dev.cloche.pool.WarmVm;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmProvider;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;

/**
 * Puts a pool to work: single acquires of it at rest, and bursts that ask for far more than it has.
 *
 * @param name what its VMs are
 * @param askers of one burst
 */
public record PoolTrial(String name, VmProvider vms, SnapshotRef snapshot, int depth, int askers) {
    private static final long LOOK_NANOS = 1_000_000;
    private static final int WARM_UP = 5;
    private static final Duration LONG = Duration.ofMinutes(5);

    /** Has what was found, in milliseconds. */
    public static final class Findings {
        public final List<Double> alone = new ArrayList<>();
        public final List<Double> work = new ArrayList<>();
        public final List<Double> ends = new ArrayList<>();
        public final List<Double> refills = new ArrayList<>();
        public final List<Double> firstRefills = new ArrayList<>();
        public final List<Double> ready = new ArrayList<>();
        public final List<Double> waited = new ArrayList<>();
        public final Queue<Double> restores = new ConcurrentLinkedQueue<>();
        public int bursts;
        public int served;
        public int late;
        public int overtaken;
    }

    /**
     * Runs single acquires, and then the bursts.
     *
     * @param singles acquires of the pool at rest
     * @param patient bursts in which every caller has time
     * @param hasty bursts in which about half of the waiting callers have not
     * @throws IllegalStateException if a VM is left in the end or was handed out twice, or not in the order of asking
     */
    public Findings run(int singles, int patient, int hasty) throws InterruptedException, ExecutionException {
        Findings found = new Findings();
        TimedVms timed = new TimedVms(vms);
        StackKey key = new StackKey("burst", "1", snapshot.cpus(), snapshot.memoryMiB());
        PoolConfig config = PoolConfig.DEFAULT;
        try (WarmPool pool = WarmPool.start(timed.provider(), config, event -> {
            if (event instanceof PoolEvent.Restored made) {
                found.restores.add(made.took().toNanos() / 1e6);
            }
        })) {
            pool.register(key, Registration.of(snapshot).withDepth(DepthPolicy.of(depth)));
            single(pool, key, timed, WARM_UP, new Findings());
            single(pool, key, timed, singles, found);
            for (int i = 0; i < patient; i++) {
                burst(pool, key, timed, LONG, found);
            }
            if (found.late > 0) {
                throw new IllegalStateException(found.late + " were told that they are late, and had minutes");
            }
            double halfOfThem = median(found.restores) * (askers - depth) / 2 / config.parallelRestores();
            for (int i = 0; i < hasty; i++) {
                burst(pool, key, timed, Duration.ofNanos((long) (halfOfThem * 1e6)), found);
            }
        }
        requireNothingLeft();
        return found;
    }

    private static void single(WarmPool pool, StackKey key, TimedVms timed, int count, Findings found)
            throws InterruptedException {
        for (int i = 0; i < count; i++) {
            RestingPool.await(pool);
            timed.forgetEntries();
            long inside = timed.inside();
            long begin = System.nanoTime();
            long given;
            try (WarmVm warm =
                    pool.acquire(key, () -> GuestIdentity.fresh("one", Clock.systemUTC()), BenchVm.patience())) {
                given = System.nanoTime();
                if (warm.kind() != PoolStartKind.WARM) {
                    throw new IllegalStateException("it was " + warm.kind());
                }
                found.work.add((timed.inside() - inside) / 1e6);
            }
            found.ends.add((System.nanoTime() - given) / 1e6);
            found.alone.add((given - begin) / 1e6);
            found.refills.add((timed.nextEntry() - begin) / 1e6);
        }
    }

    private void burst(WarmPool pool, StackKey key, TimedVms timed, Duration patience, Findings found)
            throws InterruptedException, ExecutionException {
        RestingPool.await(pool);
        timed.forgetEntries();
        long begin = System.nanoTime();
        Burst.Outcome outcome = new Burst(pool, key, patience).of(askers);
        // Between being granted a VM and choosing it there is a thread that has to wake up.
        if (outcome.overtaken() > depth) {
            throw new IllegalStateException("not in the order of asking: " + outcome.served());
        }
        found.firstRefills.add((timed.nextEntry() - begin) / 1e6);
        outcome.served()
                .forEach(one -> (one.kind() == PoolStartKind.WARM ? found.ready : found.waited).add(one.millis()));
        found.bursts++;
        found.served += outcome.served().size();
        found.late += outcome.late();
        found.overtaken = Math.max(found.overtaken, outcome.overtaken());
    }

    /** What lies on the shelf stays there when the pool is closed; of all else nothing may be left. */
    private void requireNothingLeft() {
        long giveUp = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (!vms.list().isEmpty()) {
            vms.pooled().forEach(entry -> vms.reclaim(entry.id(), BenchVm.patience()));
            if (System.nanoTime() > giveUp) {
                throw new IllegalStateException(
                        "VMs leaked: " + vms.list().stream().map(VmInfo::id).toList());
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    public static double median(Iterable<Double> millis) {
        return samples("", millis).median();
    }

    public static Samples samples(String name, Iterable<Double> millis) {
        List<Double> all = new ArrayList<>();
        millis.forEach(all::add);
        return new Samples(name, all.stream().mapToDouble(Double::doubleValue).toArray());
    }
}
