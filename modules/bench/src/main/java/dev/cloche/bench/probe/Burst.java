package dev.cloche.bench.probe;

import dev.cloche.base.Deadline;
import dev.cloche.pool.HandOff;
import dev.cloche.pool.PoolException;
import dev.cloche.pool.PoolMetrics;
import dev.cloche.pool.PoolStartKind;
import dev.cloche.pool.StackKey;
import dev.cloche.pool.WarmPool;
import dev.cloche.pool.WarmVm;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Runs callers that want a VM of one pool at once, in a known order. Each ends its VM as soon as it has it. */
final class Burst {
    private static final long LOOK_NANOS = 20_000;

    private final WarmPool pool;
    private final StackKey key;
    private final Duration patience;
    private final AtomicInteger turns = new AtomicInteger();

    Burst(WarmPool pool, StackKey key, Duration patience) {
        this.pool = pool;
        this.key = key;
        this.patience = patience;
    }

    /**
     * A caller that was served.
     *
     * @param asked how many had asked before
     * @param turn how many had been chosen a VM before
     */
    record Served(int asked, int turn, PoolStartKind kind, VmId vm, double millis) {}

    /** @param late how many were told that their deadline had passed */
    record Outcome(List<Served> served, int late) {
        /** Returns the largest number of later callers by which one caller was overtaken. */
        int overtaken() {
            return served.stream()
                    .mapToInt(one -> (int) served.stream()
                            .filter(other -> other.asked() > one.asked() && other.turn() < one.turn())
                            .count())
                    .max()
                    .orElse(0);
        }
    }

    /** @throws IllegalStateException if one VM was given to two */
    Outcome of(int askers) throws InterruptedException, ExecutionException {
        long before = requests();
        List<Future<Optional<Served>>> asking = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < askers; i++) {
                int asked = i;
                Future<Optional<Served>> one = threads.submit(() -> ask(asked));
                asking.add(one);
                // Each caller asks after the one before it: only so is there an order to be kept.
                while (requests() - before <= i && !one.isDone()) {
                    LockSupport.parkNanos(LOOK_NANOS);
                }
            }
        }
        List<Served> served = new ArrayList<>();
        Set<VmId> seen = new HashSet<>();
        for (Future<Optional<Served>> one : asking) {
            one.get().ifPresent(served::add);
        }
        if (!served.stream().allMatch(one -> seen.add(one.vm()))) {
            throw new IllegalStateException("a VM was handed out twice: " + served);
        }
        return new Outcome(served, askers - served.size());
    }

    private long requests() {
        PoolMetrics.Key now =
                Optional.ofNullable(pool.metrics().keys().get(key)).orElseThrow();
        return now.hits() + now.misses();
    }

    private Optional<Served> ask(int asked) {
        AtomicInteger turn = new AtomicInteger();
        HandOff handOff = new HandOff() {
            @Override
            public void chosen(VmId vm) {
                turn.set(turns.getAndIncrement());
            }

            @Override
            public GuestIdentity identity() {
                return GuestIdentity.fresh("burst", Clock.systemUTC());
            }
        };
        long begin = System.nanoTime();
        try (WarmVm warm = pool.acquire(key, handOff, Deadline.after(patience))) {
            double millis = (System.nanoTime() - begin) / 1e6;
            return Optional.of(new Served(asked, turn.get(), warm.kind(), warm.id(), millis));
        } catch (PoolException.Late | VmException.Deadline late) {
            return Optional.empty();
        }
    }
}
