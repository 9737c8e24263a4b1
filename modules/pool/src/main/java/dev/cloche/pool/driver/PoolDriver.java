package dev.cloche.pool.driver;

import dev.cloche.base.Deadline;
import dev.cloche.pool.PoolConfig;
import dev.cloche.pool.PoolEvent;
import dev.cloche.pool.PoolListener;
import dev.cloche.pool.WarmPool;
import dev.cloche.pool.core.PoolCore;
import dev.cloche.pool.core.PoolEffect;
import dev.cloche.pool.provision.Disposal;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;

/**
 * Drives a {@link PoolCore}: asks it one thing at a time, does the effects on virtual threads, and tells it the time. Nothing
 * is waited for under its lock. Safe for use from several threads.
 */
public final class PoolDriver {
    /** How often it is looked whether the host is short of memory, which takes a fraction of a millisecond. */
    private static final long LOOK_NANOS = Duration.ofSeconds(2).toNanos();

    private final PoolWorker worker;
    private final PoolListener listener;
    private final PoolCore core;
    private final ReentrantLock lock = new ReentrantLock();
    /** Signals that something changed that the clock's thread or a close waits for. */
    private final Condition changed = lock.newCondition();

    private final Condition closing = lock.newCondition();

    private final Map<Long, Thread> underway = new ConcurrentHashMap<>();
    private boolean closed;

    public PoolDriver(VmProvider provider, PoolConfig config, PoolListener listener) {
        this.listener = listener;
        worker = new PoolWorker(provider, config, this::happened);
        core = new PoolCore(config, new SplittableRandom(), VmId::random, System.nanoTime());
    }

    /** Keeps the core's time from now on, and tells it of the host's memory, until it is closed. */
    public void start() {
        var _ = Thread.ofVirtual().name("warm-pool").start(this::keepTime);
        var _ = Thread.ofVirtual().name("warm-pool-memory").start(this::watchMemory);
    }

    public PoolWorker worker() {
        return worker;
    }

    /** Asks the core something at the present time, and begins what it wants done then. */
    public <T> T ask(Question<T> question) {
        return withCore(now -> question.of(core, now));
    }

    /** Tells the core something that has no answer, as {@link #ask} does. */
    public void tell(ObjLongConsumer<PoolCore> event) {
        var _ = withCore(now -> {
            event.accept(core, now);
            return true;
        });
    }

    public interface Question<T> {
        T of(PoolCore core, long now);
    }

    private <T> T withCore(LongFunction<T> question) {
        lock.lock();
        try {
            return question.apply(System.nanoTime());
        } finally {
            List<PoolEffect> effects = core.drain();
            changed.signalAll();
            lock.unlock();
            effects.forEach(this::begin);
        }
    }

    private void begin(PoolEffect effect) {
        switch (effect) {
            case PoolEffect.Restore restore -> onTicket(restore.ticket(), () -> worker.restore(restore));
            case PoolEffect.Cancel(long ticket) ->
                Optional.ofNullable(underway.get(ticket)).ifPresent(Thread::interrupt);
            case PoolEffect.Destroy destroy -> on("pool-destroy", () -> tell(worker.destroy(destroy)::tell));
            case PoolEffect.Sweep() -> on("pool-sweep", () -> tell(worker.sweep()::tell));
            case PoolEffect.Tell(PoolEvent event) -> happened(event);
        }
    }

    private static void on(String name, Runnable work) {
        var _ = Thread.ofVirtual().name(name).start(work);
    }

    private void onTicket(long ticket, Supplier<PoolWorker.Answer> work) {
        Thread thread = Thread.ofVirtual().name("pool-restore-" + ticket).unstarted(() -> {
            PoolWorker.Answer answer = work.get();
            underway.remove(ticket);
            tell(answer::tell);
        });
        underway.put(ticket, thread);
        thread.start();
    }

    /** Tells the listener; whether it returns or throws, the pool goes on. */
    public void happened(PoolEvent event) {
        try {
            listener.happened(event);
        } catch (Throwable e) {
            System.getLogger(WarmPool.class.getName())
                    .log(System.Logger.Level.WARNING, "a pool's listener failed at " + event, e);
        }
    }

    /** Closes the core, and waits until nothing is under way, or the deadline has passed. */
    public void close(Deadline deadline) {
        tell((core, now) -> {
            closed = true;
            closing.signalAll();
            core.close();
        });
        lock.lock();
        try {
            while (!core.idle() && !deadline.passed()) {
                var _ = changed.awaitNanos(deadline.remainingNanos());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    private void watchMemory() {
        while (awaitLook()) {
            try {
                if (ask((core, _) -> core.needsMemory())) {
                    seen(worker.memoryShortage());
                }
            } catch (Throwable e) {
                Disposal.log("it is not known whether this host is short of memory", e);
            }
        }
    }

    private void seen(Optional<String> shortage) {
        System.Logger logger = System.getLogger(WarmPool.class.getName());
        switch (ask((core, now) -> core.memory(shortage, now))) {
            case BEGUN ->
                logger.log(
                        System.Logger.Level.WARNING,
                        () -> "this host is short of memory, so VMs of pools end, the oldest first, and none is made: "
                                + shortage.orElse(""));
            case OVER -> logger.log(System.Logger.Level.INFO, "this host has memory again, so pools are filled");
            case NONE -> {}
        }
    }

    /** Waits until the host's memory is to be looked at; false once the pool is closed. */
    private boolean awaitLook() {
        lock.lock();
        try {
            long left = LOOK_NANOS;
            while (!closed && left > 0) {
                left = closing.awaitNanos(left);
            }
            return !closed;
        } catch (InterruptedException noThreadDoes) {
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Ticks when something is due. A tick that fails is logged, and the next comes all the same. */
    private void keepTime() {
        while (awaitDue()) {
            try {
                tell(PoolCore::tick);
            } catch (Throwable e) {
                System.getLogger(WarmPool.class.getName())
                        .log(System.Logger.Level.ERROR, "a warm pool's refill failed, and goes on", e);
            }
        }
    }

    /** Waits until something is due; false once the pool is closed. */
    private boolean awaitDue() {
        lock.lock();
        try {
            while (!closed) {
                long left = core.untilDue(System.nanoTime()).toNanos();
                // It may have been signalled in the moment in which its time was over.
                if (changed.awaitNanos(left) <= 0 && core.isDue(System.nanoTime())) {
                    return !closed;
                }
            }
            return false;
        } catch (InterruptedException noThreadDoes) {
            return true;
        } finally {
            lock.unlock();
        }
    }
}
