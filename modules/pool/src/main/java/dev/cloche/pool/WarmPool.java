package dev.cloche.pool;

import dev.cloche.base.Deadline;
import dev.cloche.pool.core.PoolCore;
import dev.cloche.pool.driver.PoolDriver;
import dev.cloche.vm.VmProvider;

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
        return new Acquisition(driver, key).take(handOff, deadline);
    }

    /**
     * Asks for a VM that is to be taken later: its acquirer has its place among those who wait from now on. One that is ready is
     * adopted before this returns; none is waited for. The caller closes what this returns.
     *
     * @param deadline of the adoption
     * @throws PoolException.UnknownKey if nothing is registered for the key
     * @throws PoolException.Closed if the pool is closed
     */
    public Acquisition ask(StackKey key, Deadline deadline) {
        Acquisition asked = new Acquisition(driver, key);
        asked.adoptReady(deadline);
        return asked;
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
