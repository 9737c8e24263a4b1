package dev.cloche.pool;

import dev.cloche.base.Deadline;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmProvider;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Keeps VMs restored, checked and halted, and hands them over in about the time of a function call.
 *
 * <p>No process needs to keep a pool alive: entries are on their provider's shelves, where any other pool of the same keys finds
 * them when this one is gone, however it went. Safe for use from several threads; calls that wait honour their deadline and
 * interrupts. Nothing is waited for under a lock.
 */
public final class WarmPool implements AutoCloseable {
    private final PoolConfig config;
    private final PoolDriver driver;

    private WarmPool(PoolConfig config, PoolDriver driver) {
        this.config = config;
        this.driver = driver;
    }

    /**
     * A pool of VMs of a provider, without keys yet.
     *
     * @param provider not owned; to be closed after the pool
     */
    public static WarmPool start(
            VmProvider provider, PoolConfig config, EntryValidator validator, PoolListener listener) {
        PoolDriver driver = new PoolDriver(provider, config, validator, listener);
        driver.start();
        return new WarmPool(config, driver);
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
        driver.tell((core, now) -> core.register(key, registration, now));
    }

    /** Destroys what is ready of a key, and fails those who wait for it. Nothing happens if it is not registered. */
    public void unregister(StackKey key) {
        driver.tell((core, now) -> core.unregister(key, now));
    }

    /**
     * One that is ready, healthy and not waited for by somebody else; empty otherwise, and for a key that is not registered.
     *
     * @param deadline of checks and the hand-off; nothing else is waited for
     */
    public Optional<WarmVm> tryAcquire(StackKey key, HandOff handOff, Deadline deadline) {
        long begin = System.nanoTime();
        while (true) {
            Optional<Waiter.Grant.Ready> taken = driver.ask((core, now) -> core.take(key, now));
            if (taken.isEmpty()) {
                return Optional.empty();
            }
            Entry entry = taken.get().entry();
            switch (driver.worker().handOver(taken.get(), handOff, deadline)) {
                case HandingOver.Outcome.Done() -> {
                    return Optional.of(handedOver(taken.get(), begin));
                }
                case HandingOver.Outcome.Broken(Eviction cause) ->
                    driver.tell((core, now) -> core.lost(entry, cause, now));
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
        Waiter waiter = driver.ask((core, now) -> core.request(key, now));
        while (true) {
            switch (await(waiter, deadline)) {
                case Waiter.Grant.Failed(PoolException why) -> throw why;
                case Waiter.Grant.Cold cold -> {
                    Vm vm = driver.worker().cold(cold, handOff, deadline);
                    return acquired(key, vm, StartKind.COLD, Optional.empty(), begin);
                }
                case Waiter.Grant.Ready ready -> {
                    switch (driver.worker().handOver(ready, handOff, deadline)) {
                        case HandingOver.Outcome.Done() -> {
                            return handedOver(ready, begin);
                        }
                        case HandingOver.Outcome.Broken(Eviction cause) ->
                            driver.tell((core, now) -> core.again(waiter, ready.entry(), cause, now));
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
        driver.tell((core, now) -> core.cancel(waiter, now));
    }

    private RuntimeException giveBack(Entry entry, HandingOver.Outcome.Failed failed) {
        driver.tell((core, now) -> {
            if (failed.usable()) {
                core.returned(entry, now);
            } else {
                core.lost(entry, Eviction.HAND_OFF, now);
            }
        });
        return failed.thrown();
    }

    private WarmVm handedOver(Waiter.Grant.Ready ready, long begin) {
        Entry entry = ready.entry();
        driver.tell((core, now) -> core.handedOver(entry, now));
        return acquired(entry.key(), entry.vm(), ready.kind(), Optional.of(entry.snapshot()), begin);
    }

    private WarmVm acquired(StackKey key, Vm vm, StartKind kind, Optional<SnapshotRef> source, long begin) {
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        driver.happened(new PoolEvent.Acquired(key, vm.id(), kind, took));
        return new WarmVm(key, vm, kind, source, took);
    }

    public PoolMetrics metrics() {
        return driver.ask(PoolCore::metrics);
    }

    /**
     * Stops refilling, fails those who wait, and destroys what is left, or leaves it for others where the configuration says
     * so. Waits as long as the configuration says; what is under way then is still cleaned up when it ends. Closing twice
     * does nothing.
     */
    @Override
    public void close() {
        driver.close(Deadline.after(config.closeWithin()));
    }
}
