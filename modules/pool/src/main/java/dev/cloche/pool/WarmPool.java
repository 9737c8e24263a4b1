package dev.cloche.pool;

import dev.cloche.base.Deadline;
import dev.cloche.pool.core.PoolCore;
import dev.cloche.pool.core.PoolEntry;
import dev.cloche.pool.core.Waiter;
import dev.cloche.pool.driver.PoolDriver;
import dev.cloche.pool.provision.HandOffProcedure;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmProvider;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Keeps VMs restored, prepared and halted on their provider's shelves, and hands them over in about the time of a function
 * call; for processes that are there to stay. What lies on a shelf no process owns, so others take from it and add to it
 * meanwhile, by a {@link PoolShelf} or a pool of their own, and find all of it when this pool is closed or its process killed.
 *
 * <p>Safe for use from several threads; calls that wait honour their deadline and interrupts. Nothing is waited for under a
 * lock.
 */
public final class WarmPool implements AutoCloseable {
    private final PoolConfig config;
    private final PoolDriver driver;

    private WarmPool(PoolConfig config, PoolDriver driver) {
        this.config = config;
        this.driver = driver;
    }

    /**
     * Starts a pool of VMs of a provider, without keys yet.
     *
     * @param provider not owned; to be closed after the pool
     */
    public static WarmPool start(VmProvider provider, PoolConfig config, PoolListener listener) {
        PoolDriver driver = new PoolDriver(provider, config, listener);
        driver.start();
        WarmPool pool = new WarmPool(config, driver);
        listener.begins(pool::metrics);
        return pool;
    }

    /** Starts a pool without a listener. */
    public static WarmPool start(VmProvider provider, PoolConfig config) {
        return start(provider, config, PoolListener.none());
    }

    /**
     * Keeps VMs of a key ready from now on. For a key that is registered, this replaces how: what is ready is handed out until
     * its replacements are.
     *
     * @throws PoolException.Invalid if the snapshot's size is not the key's
     * @throws PoolException.Closed if the pool is closed
     */
    public void register(StackKey key, Registration registration) {
        driver.tell((core, now) -> core.register(key, registration, now));
    }

    /**
     * Fails the waiters of a key, and destroys what lies on its shelf if this process keeps it. Nothing happens if it
     * is not registered.
     */
    public void unregister(StackKey key) {
        driver.tell((core, now) -> core.unregister(key, now));
    }

    /** Looks at the shelves now: another process has taken from them or added to them. */
    public void look() {
        driver.tell(PoolCore::sweep);
    }

    /** Uses another budget from now on. */
    public void budget(PoolConfig.Budget budget) {
        driver.tell((core, now) -> core.budget(budget, now));
    }

    /**
     * Acquires a VM that is ready, else the next that is restored. The acquirer that asked first is served first.
     *
     * @throws PoolException.UnknownKey if nothing is registered for the key, or is no more
     * @throws PoolException.NotRestored if a restore fails; there may be other ways to get a VM
     * @throws PoolException.Late if the deadline passes
     * @throws PoolException.Interrupted if the thread is interrupted
     * @throws PoolException.Closed if the pool is or gets closed
     * @throws dev.cloche.vm.VmException if the guest does not take the identity
     */
    public WarmVm acquire(StackKey key, HandOff handOff, Deadline deadline) {
        long begin = System.nanoTime();
        Waiter waiter = driver.ask((core, now) -> core.request(key, now));
        while (true) {
            switch (await(waiter, deadline)) {
                case Waiter.Grant.Failed(PoolException why) -> throw why;
                case Waiter.Grant.Ready ready -> {
                    PoolEntry entry = ready.entry();
                    switch (driver.worker().handOver(entry.vm(), handOff, deadline)) {
                        case HandOffProcedure.Outcome.Done(Vm vm) -> {
                            return handedOver(ready, vm, begin);
                        }
                        case HandOffProcedure.Outcome.Broken(Eviction cause) ->
                            driver.tell((core, now) -> core.again(waiter, entry, cause, now));
                        case HandOffProcedure.Outcome.Failed failed -> throw giveBack(entry, failed);
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

    private RuntimeException giveBack(PoolEntry entry, HandOffProcedure.Outcome.Failed failed) {
        driver.tell((core, now) -> {
            if (failed.usable()) {
                core.returned(entry, now);
            } else {
                core.lost(entry, Eviction.HAND_OFF, now);
            }
        });
        return failed.thrown();
    }

    private WarmVm handedOver(Waiter.Grant.Ready ready, Vm vm, long begin) {
        PoolEntry entry = ready.entry();
        driver.tell((core, now) -> core.handedOver(entry, now));
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        driver.happened(new PoolEvent.Acquired(entry.key(), vm.id(), ready.kind(), took));
        return new WarmVm(vm, ready.kind(), took);
    }

    public PoolMetrics metrics() {
        return driver.ask(PoolCore::metrics);
    }

    /**
     * Stops refilling and fails the waiters; what is ready stays on its shelf. Waits as long as the configuration says;
     * what is under way then is still cleaned up when it ends. Closing twice does nothing.
     */
    @Override
    public void close() {
        driver.close(Deadline.after(config.closeWithin()));
    }
}
