package dev.cloche.process.worker;

import dev.cloche.process.Lease;
import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessRegistry;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Renews one lease for as long as it can be kept, and says so at once when it is lost. What it trusts is its own monotonic
 * clock, counted from before each call: the store can only have counted from later.
 *
 * <p>Two threads: one renews and may hang in the store, the other watches the time meanwhile.
 */
public final class LeaseRenewer implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger(LeaseRenewer.class.getName());
    private static final long FIRST_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final ProcessRegistry registry;
    private final Lease lease;
    private final Duration ttl;
    private final Runnable onLoss;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private long validUntilNanos;
    private boolean ended;

    /**
     * Keeps a lease from {@link #start} on.
     *
     * @param claimedAtNanos when the call that claimed it began
     * @param onLoss called once, from any thread, if the lease is lost before this is closed
     */
    public LeaseRenewer(ProcessRegistry registry, Lease lease, Duration ttl, long claimedAtNanos, Runnable onLoss) {
        this.registry = registry;
        this.lease = lease;
        this.ttl = ttl;
        this.onLoss = onLoss;
        this.validUntilNanos = claimedAtNanos + ttl.toNanos();
    }

    public void start() {
        Thread.ofVirtual().name("cloche-lease-watch-" + lease.processId()).start(this::watch);
        Thread.ofVirtual().name("cloche-lease-renewal-" + lease.processId()).start(this::renew);
    }

    public boolean held() {
        lock.lock();
        try {
            return !ended && leftNanos() > 0;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether it is still held when a pause is over; the pause ends at once when it is not. */
    public boolean heldAfter(Duration pause) throws InterruptedException {
        long until = System.nanoTime() + pause.toNanos();
        lock.lockInterruptibly();
        try {
            while (!ended && until - System.nanoTime() > 0) {
                var _ = changed.awaitNanos(until - System.nanoTime());
            }
            return !ended && leftNanos() > 0;
        } finally {
            lock.unlock();
        }
    }

    private long leftNanos() {
        return validUntilNanos - System.nanoTime();
    }

    private void watch() {
        lock.lock();
        try {
            while (!ended && leftNanos() > 0) {
                var _ = changed.awaitNanos(leftNanos());
            }
        } catch (InterruptedException e) {
            // No caller interrupts it; an interrupt would lose the lease.
        } finally {
            lock.unlock();
        }
        lose();
    }

    private void renew() {
        long pause = ttl.toNanos() / 3;
        long retry = FIRST_RETRY_NANOS;
        while (rest(pause)) {
            long asked = System.nanoTime();
            try {
                registry.renew(lease, ttl);
                extend(asked + ttl.toNanos());
                pause = ttl.toNanos() / 3;
                retry = FIRST_RETRY_NANOS;
            } catch (ProcessException.LeaseLost | ProcessException.Unknown e) {
                lose();
            } catch (RuntimeException e) {
                LOGGER.log(Level.DEBUG, "a lease of " + lease.processId() + " cannot be renewed at the moment", e);
                pause = Math.min(retry, ttl.toNanos() / 3);
                retry *= 2;
            }
        }
    }

    /** False if there is nothing to be kept any more. */
    private boolean rest(long nanos) {
        try {
            return heldAfter(Duration.ofNanos(nanos));
        } catch (InterruptedException e) {
            return false;
        }
    }

    private void extend(long until) {
        lock.lock();
        try {
            validUntilNanos = until;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void lose() {
        if (end()) {
            onLoss.run();
        }
    }

    /** Returns whether this call was the end. */
    private boolean end() {
        lock.lock();
        try {
            boolean first = !ended;
            ended = true;
            changed.signalAll();
            return first;
        } finally {
            lock.unlock();
        }
    }

    /** Stops keeping it, and does not give it back. */
    @Override
    public void close() {
        var _ = end();
    }
}
