package dev.cloche.sandbox.warm;

import dev.cloche.sandbox.TemplateMaking;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Has the pools filled when this process has set them or taken from them: by {@link KeptPools} as long as it lives, or by a
 * process of its own that is started soon, unless some process keeps them. What fails here fails no start.
 */
public final class PoolRefiller implements AutoCloseable {
    /** A first command is not to be slowed by the process that fills for the next. */
    private static final Duration FIRST_COMMAND = Duration.ofSeconds(1);

    private static final Duration FOREVER = Duration.ofDays(3650);
    private static final Duration END_LIMIT = Duration.ofSeconds(10);

    private final TemplateMaking making;
    private final PoolFilling filling;
    private final PoolSignal signal;
    private final Supplier<KeptPools> keeping;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean wished;
    private boolean closed;
    private @Nullable Thread thread;
    private @Nullable KeptPools kept;

    /**
     * Creates one that does nothing until pools are wanted.
     *
     * @param keeping begins to keep all pools, for a process that is there to stay
     */
    public PoolRefiller(TemplateMaking making, PoolFilling filling, PoolSignal signal, Supplier<KeptPools> keeping) {
        this.making = making;
        this.filling = filling;
        this.signal = signal;
        this.keeping = keeping;
    }

    /** Takes note that a pool was set by this process. */
    public void set(long pool) {
        signal.give();
        kept().ifPresent(KeptPools::changed);
        fill(pool);
    }

    /** Notes that this process has taken from the shelf of a pool, or found nothing there. */
    public void taken(long pool) {
        if (kept().filter(own -> own.keeps(pool)).isEmpty()) {
            signal.give();
            fill(pool);
        }
    }

    private void fill(long pool) {
        if (making instanceof TemplateMaking.ByProcess(List<String> _, List<String> filler) && !signal.isKept(pool)) {
            wish(filler);
        }
    }

    /** Takes note that a pool was removed by this process. */
    public void removed(long pool) {
        signal.give();
        lock.lock();
        try {
            if (kept != null) {
                kept.removed(pool);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the pools as this process keeps them; empty if it does not, or cannot. Begins to. */
    public Optional<KeptPools> kept() {
        if (!(making instanceof TemplateMaking.InBackground)) {
            return Optional.empty();
        }
        lock.lock();
        try {
            if (kept == null && !closed) {
                kept = keeping.get();
            }
            return Optional.ofNullable(kept);
        } catch (RuntimeException e) {
            // There are other ways to start.
            System.getLogger(PoolRefiller.class.getName()).log(System.Logger.Level.WARNING, "pools are not kept", e);
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    private void wish(List<String> filler) {
        lock.lock();
        try {
            wished = true;
            changed.signalAll();
            if (thread == null && !closed) {
                thread = Thread.ofVirtual().name("pool-refiller").start(() -> haveFilled(filler));
            }
        } finally {
            lock.unlock();
        }
    }

    private void haveFilled(List<String> filler) {
        try {
            while (await(() -> wished || closed, FOREVER) && begun()) {
                var _ = await(() -> closed, FIRST_COMMAND);
                if (!filling.isWaitedFor()) {
                    BackgroundProcess.start(filler);
                }
            }
        } catch (InterruptedException closing) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            System.getLogger(PoolRefiller.class.getName()).log(System.Logger.Level.WARNING, "pools are not filled", e);
        }
    }

    /**
     * What is wished from now on is another wish.
     *
     * @return whether there was one
     */
    private boolean begun() {
        lock.lock();
        try {
            boolean was = wished;
            wished = false;
            return was;
        } finally {
            lock.unlock();
        }
    }

    /** Says whether it came true within this time. */
    private boolean await(BooleanSupplier condition, Duration longest) throws InterruptedException {
        lock.lock();
        try {
            long left = longest.toNanos();
            while (!condition.getAsBoolean() && left > 0) {
                left = changed.awaitNanos(left);
            }
            return condition.getAsBoolean();
        } finally {
            lock.unlock();
        }
    }

    /** Begins what is left to a process of its own; ends what this one is at, and the VMs that it makes. */
    @Override
    public void close() {
        Thread mine;
        KeptPools own;
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
            mine = thread;
            own = kept;
        } finally {
            lock.unlock();
        }
        if (own != null) {
            own.close();
        }
        if (mine == null) {
            return;
        }
        try {
            var _ = mine.join(END_LIMIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
