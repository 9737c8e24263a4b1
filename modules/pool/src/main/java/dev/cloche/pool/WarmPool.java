package dev.cloche.pool;

import dev.cloche.base.Deadline;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * Keeps VMs restored, checked and halted, and hands them over in about the time of a function call.
 *
 * <p>No process needs to keep a pool alive: entries are on their provider's shelves, where any other pool of the same keys finds
 * them when this one is gone, however it went. Safe for use from several threads; calls that wait honour their deadline and
 * interrupts. Nothing is waited for under a lock.
 */
public final class WarmPool implements AutoCloseable {
    private final PoolConfig config;
    private final PoolWorker worker;
    private final PoolListener listener;
    private final PoolCore core;
    private final ReentrantLock lock = new ReentrantLock();
    /** Something changed that the clock's thread or a close waits for. */
    private final Condition changed = lock.newCondition();

    private final Map<Long, Thread> underway = new ConcurrentHashMap<>();
    private final Thread clock;
    private boolean closed;

    private WarmPool(VmProvider provider, PoolConfig config, EntryValidator validator, PoolListener listener) {
        this.config = config;
        this.listener = listener;
        worker = new PoolWorker(provider, config, new Checks(validator, config.checkWithin()));
        core = new PoolCore(config, new SplittableRandom(), VmId::random, System.nanoTime());
        clock = Thread.ofVirtual().name("warm-pool").unstarted(this::keepTime);
    }

    /**
     * A pool of VMs of a provider, without keys yet.
     *
     * @param provider not owned; to be closed after the pool
     */
    public static WarmPool start(
            VmProvider provider, PoolConfig config, EntryValidator validator, PoolListener listener) {
        WarmPool pool = new WarmPool(provider, config, validator, listener);
        pool.clock.start();
        return pool;
    }

    /** Without a validator or a listener. */
    public static WarmPool start(VmProvider provider, PoolConfig config) {
        return start(provider, config, EntryValidator.none(), PoolListener.none());
    }

    /** Keeps VMs of a snapshot ready from now on, as many as the configuration says. */
    public void register(StackKey key, SnapshotRef snapshot) {
        register(key, Registration.of(snapshot));
    }

    /**
     * Keeps VMs of a key ready from now on. For a key that is registered, this replaces the snapshot and the depth: what is
     * ready is handed out until its replacements are.
     *
     * @throws PoolException.Invalid if the snapshot's size is not the key's
     * @throws PoolException.Closed if the pool is closed
     */
    public void register(StackKey key, Registration registration) {
        withCore(now -> {
            core.register(key, registration, now);
            return true;
        });
    }

    /** Destroys what is ready of a key, and fails those who wait for it. Nothing happens if it is not registered. */
    public void unregister(StackKey key) {
        withCore(now -> {
            core.unregister(key, now);
            return true;
        });
    }

    /**
     * One that is ready, healthy and not waited for by somebody else; empty otherwise, and for a key that is not registered.
     *
     * @param deadline of checks and the hand-off; nothing else is waited for
     */
    public Optional<WarmVm> tryAcquire(StackKey key, HandOff handOff, Deadline deadline) {
        long begin = System.nanoTime();
        while (true) {
            Optional<Waiter.Grant.Ready> taken = withCore(now -> core.take(key, now));
            if (taken.isEmpty()) {
                return Optional.empty();
            }
            Entry entry = taken.get().entry();
            switch (worker.handOver(taken.get(), handOff, deadline)) {
                case HandingOver.Outcome.Done() -> {
                    return Optional.of(handedOver(taken.get(), begin));
                }
                case HandingOver.Outcome.Broken(Eviction cause) ->
                    withCore(now -> {
                        core.lost(entry, cause, now);
                        return true;
                    });
                case HandingOver.Outcome.Failed failed -> throw giveBack(entry, failed);
            }
        }
    }

    /**
     * One that is ready, else the next that is restored, else one that is booted where its registration says how. Who asked
     * first is served first.
     *
     * @throws PoolException.UnknownKey if nothing is registered for the key, or is no more
     * @throws PoolException.NotRestored if restores fail again and again, and there is no cold way
     * @throws PoolException.Late if the deadline passes
     * @throws PoolException.Interrupted if the thread is interrupted
     * @throws PoolException.Closed if the pool is or gets closed
     * @throws dev.cloche.vm.VmException if a cold start fails, or the guest does not take the identity
     */
    public WarmVm acquire(StackKey key, HandOff handOff, Deadline deadline) {
        long begin = System.nanoTime();
        Waiter waiter = withCore(now -> core.request(key, now));
        while (true) {
            switch (await(waiter, deadline)) {
                case Waiter.Grant.Failed(PoolException why) -> throw why;
                case Waiter.Grant.Cold cold -> {
                    Vm vm = worker.cold(cold, handOff, deadline);
                    return acquired(key, vm, StartKind.COLD, Optional.empty(), begin);
                }
                case Waiter.Grant.Ready ready -> {
                    switch (worker.handOver(ready, handOff, deadline)) {
                        case HandingOver.Outcome.Done() -> {
                            return handedOver(ready, begin);
                        }
                        case HandingOver.Outcome.Broken(Eviction cause) ->
                            withCore(now -> {
                                core.again(waiter, ready.entry(), cause, now);
                                return true;
                            });
                        case HandingOver.Outcome.Failed failed -> throw giveBack(ready.entry(), failed);
                    }
                }
            }
        }
    }

    private Waiter.Grant await(Waiter waiter, Deadline deadline) {
        try {
            return waiter.grant().get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            cancel(waiter);
            throw new PoolException.Late(waiter.key());
        } catch (InterruptedException e) {
            cancel(waiter);
            Thread.currentThread().interrupt();
            throw new PoolException.Interrupted();
        } catch (ExecutionException e) {
            throw new IllegalStateException("grants do not fail", e);
        }
    }

    private void cancel(Waiter waiter) {
        withCore(now -> {
            core.cancel(waiter, now);
            return true;
        });
    }

    private RuntimeException giveBack(Entry entry, HandingOver.Outcome.Failed failed) {
        withCore(now -> {
            if (failed.usable()) {
                core.returned(entry, now);
            } else {
                core.lost(entry, Eviction.HAND_OFF, now);
            }
            return true;
        });
        return failed.why();
    }

    private WarmVm handedOver(Waiter.Grant.Ready ready, long begin) {
        Entry entry = ready.entry();
        withCore(now -> {
            core.handedOver(entry, now);
            return true;
        });
        return acquired(entry.key(), entry.vm(), ready.kind(), Optional.of(entry.snapshot()), begin);
    }

    private WarmVm acquired(StackKey key, Vm vm, StartKind kind, Optional<SnapshotRef> source, long begin) {
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        tell(new PoolEvent.Acquired(key, vm.id(), kind, took));
        return new WarmVm(key, vm, kind, source, took);
    }

    public PoolMetrics metrics() {
        return withCore(core::metrics);
    }

    /**
     * Stops refilling, fails those who wait, and destroys what is left, or leaves it for others where the configuration says
     * so. Waits as long as the configuration says; what is under way then is still cleaned up when it ends. Closing twice
     * does nothing.
     */
    @Override
    public void close() {
        withCore(now -> {
            closed = true;
            core.close(now);
            return true;
        });
        Deadline deadline = Deadline.after(config.closeWithin());
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

    /** Asks the core something at the present time, and begins what it wants done then. */
    private <T> T withCore(LongFunction<T> question) {
        lock.lock();
        try {
            return question.apply(System.nanoTime());
        } finally {
            List<Effect> effects = core.drain();
            changed.signalAll();
            lock.unlock();
            effects.forEach(this::begin);
        }
    }

    private void begin(Effect effect) {
        switch (effect) {
            case Effect.Restore restore -> onTicket(restore.ticket(), () -> worker.restore(restore));
            case Effect.Adopt adopt -> onTicket(adopt.ticket(), () -> worker.adopt(adopt));
            case Effect.Cancel(long ticket) ->
                Optional.ofNullable(underway.get(ticket)).ifPresent(Thread::interrupt);
            case Effect.Check check -> on("pool-check", () -> answer(worker.check(check)));
            case Effect.Destroy destroy -> on("pool-destroy", () -> answer(worker.destroy(destroy)));
            case Effect.Leave leave -> worker.leave(leave);
            case Effect.Sweep() -> on("pool-sweep", () -> answer(worker.sweep()));
            case Effect.Tell(PoolEvent event) -> tell(event);
        }
    }

    private static void on(String name, Runnable work) {
        var _ = Thread.ofVirtual().name(name).start(work);
    }

    private void onTicket(long ticket, Supplier<PoolWorker.Answer> work) {
        Thread thread = Thread.ofVirtual().name("pool-restore-" + ticket).unstarted(() -> {
            PoolWorker.Answer answer = work.get();
            underway.remove(ticket);
            answer(answer);
        });
        underway.put(ticket, thread);
        thread.start();
    }

    private void answer(PoolWorker.Answer answer) {
        withCore(now -> {
            answer.tell(core, now);
            return true;
        });
    }

    private void tell(PoolEvent event) {
        try {
            listener.happened(event);
        } catch (RuntimeException e) {
            System.getLogger(WarmPool.class.getName())
                    .log(System.Logger.Level.WARNING, "a pool's listener failed at " + event, e);
        }
    }

    /** Ticks when something is due. A tick that fails is logged, and the next comes all the same. */
    private void keepTime() {
        while (awaitDue()) {
            try {
                withCore(now -> {
                    core.tick(now);
                    return true;
                });
            } catch (RuntimeException e) {
                System.getLogger(WarmPool.class.getName())
                        .log(System.Logger.Level.ERROR, "a warm pool's refill failed, and goes on", e);
            }
        }
    }

    /** False once the pool is closed. */
    private boolean awaitDue() {
        lock.lock();
        try {
            while (!closed) {
                long left = core.untilDue(System.nanoTime()).toNanos();
                if (changed.awaitNanos(left) <= 0) {
                    return !closed;
                }
            }
            return false;
        } catch (InterruptedException nobodyDoes) {
            return true;
        } finally {
            lock.unlock();
        }
    }
}
