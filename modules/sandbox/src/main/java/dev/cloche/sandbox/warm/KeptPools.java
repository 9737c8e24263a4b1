package dev.cloche.sandbox.warm;

import dev.cloche.base.Deadline;
import dev.cloche.linux.FileSignal;
import dev.cloche.pool.HandOff;
import dev.cloche.pool.PoolConfig;
import dev.cloche.pool.PoolEvent;
import dev.cloche.pool.PoolListener;
import dev.cloche.pool.PoolMetrics;
import dev.cloche.pool.StackKey;
import dev.cloche.pool.WarmPool;
import dev.cloche.pool.WarmVm;
import dev.cloche.sandbox.record.PoolRow;
import dev.cloche.sandbox.record.PoolStore;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Keeps the pools of a state root in a process that is there to stay: registers all that are recorded in one {@link
 * WarmPool}, and keeps those at their depth that no other process keeps. Safe for use from several threads.
 */
public final class KeptPools implements AutoCloseable {
    /** What other processes have changed without a signal is seen by then. */
    private static final Duration LOOK_EVERY = Duration.ofSeconds(30);

    private static final Duration END_LIMIT = Duration.ofSeconds(10);

    private final PoolStore store;
    private final PoolSources sources;
    private final PoolPreparations preparations;
    private final Supplier<PoolConfig.Budget> budget;
    private final PoolSignal signal;
    private final WarmPool pool;
    private final FileSignal changes;
    private final Thread thread;
    private final Map<Long, KeptPool> kept = new ConcurrentHashMap<>();

    /**
     * Begins to keep.
     *
     * @param start begins the core, which tells what happens
     * @param budget of all pools of the host, asked now and then
     * @param listener is told that too
     */
    public KeptPools(
            PoolStore store,
            PoolSources sources,
            PoolPreparations preparations,
            PoolSignal signal,
            Function<PoolListener, WarmPool> start,
            Supplier<PoolConfig.Budget> budget,
            PoolListener listener) {
        this.store = store;
        this.sources = sources;
        this.preparations = preparations;
        this.budget = budget;
        this.signal = signal;
        changes = signal.listen();
        pool = start.apply(new Recorder(listener));
        thread = Thread.ofVirtual().name("kept-pools").start(this::keep);
    }

    /** Hands over a VM as {@link WarmPool#acquire} does. */
    WarmVm acquire(StackKey key, HandOff handOff, Deadline deadline) {
        return pool.acquire(key, handOff, deadline);
    }

    /** Something is asked of a key that is not registered: the name of its image may mean another one by now. */
    void missing() {
        kept.values().forEach(KeptPool::doubt);
        changes.wake();
    }

    /** Says whether this process keeps the depth of a pool. */
    boolean keeps(long id) {
        return Optional.ofNullable(kept.get(id)).filter(KeptPool::keeps).isPresent();
    }

    /** Takes note that this process has changed what is recorded. */
    void changed() {
        changes.wake();
    }

    /** A pool is recorded no more: nothing of it is made from now on. */
    void removed(long id) {
        Optional.ofNullable(kept.remove(id)).ifPresent(KeptPool::removed);
    }

    private void keep() {
        try {
            while (!changes.isClosed()) {
                follow();
                if (changes.await(Deadline.after(LOOK_EVERY))) {
                    pool.look();
                }
            }
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        }
    }

    private void follow() {
        try {
            pool.budget(budget.get());
            List<PoolRow> rows = store.all();
            Set<Long> gone = new HashSet<>(kept.keySet());
            for (PoolRow row : rows) {
                gone.remove(row.id());
                kept.computeIfAbsent(
                                row.id(),
                                id -> new KeptPool(id, sources, preparations, store, signal, pool, changes::wake))
                        .follow(row, LOOK_EVERY);
            }
            if (!gone.isEmpty()) {
                gone.forEach(id -> Optional.ofNullable(kept.remove(id)).ifPresent(KeptPool::removed));
                sources.releaseOthers(rows);
                signal.forgetOthers(kept.keySet());
            }
        } catch (RuntimeException e) {
            System.getLogger(KeptPools.class.getName())
                    .log(
                            changes.isClosed() ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
                            "pools are not kept",
                            e);
        }
    }

    /** Ends what this process is at, and the VMs that it makes; what lies on the shelves stays there. */
    @Override
    public void close() {
        changes.close();
        thread.interrupt();
        pool.close();
        kept.values().forEach(KeptPool::end);
        try {
            var _ = thread.join(END_LIMIT);
            for (KeptPool each : kept.values()) {
                each.awaitEnd(END_LIMIT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Counts in the records what becomes of pools, for all processes to see. */
    private final class Recorder implements PoolListener {
        private final PoolListener also;

        Recorder(PoolListener also) {
            this.also = also;
        }

        @Override
        public void happened(PoolEvent event) {
            switch (event) {
                case PoolEvent.Restored made -> id(made.key()).ifPresent(store::made);
                case PoolEvent.RestoreFailed failed -> {
                    id(failed.key()).ifPresent(id -> store.failed(id, failed.why(), failed.pause()));
                    KeptPool.warn(failed.key().name(), failed.why());
                }
                default -> {}
            }
            also.happened(event);
        }

        @Override
        public void begins(Supplier<PoolMetrics> metrics) {
            also.begins(metrics);
        }

        private Optional<Long> id(StackKey key) {
            return kept.entrySet().stream()
                    .filter(entry -> entry.getValue().has(key))
                    .map(Map.Entry::getKey)
                    .findFirst();
        }
    }
}
