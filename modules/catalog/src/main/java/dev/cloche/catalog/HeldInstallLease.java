package dev.cloche.catalog;

import dev.cloche.base.OperationWatch;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * An {@link InstallLease} that does not run out while its work goes on: a thread renews it until it is closed. While one
 * transaction of the work has the catalog to itself the lease cannot be renewed, and no other process can take it either; it
 * is tried again until that is over. Thread-safe.
 */
final class HeldInstallLease implements AutoCloseable {
    /** Several renewals may fail before the lease runs out. */
    static final Duration PERIOD = InstallLease.LENGTH.dividedBy(6);

    private final InstallLease lease;
    private final Duration period;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition closing = lock.newCondition();
    private final OperationWatch<LeaseTerm> term = LeaseTerm.begin();
    private LeaseHandle handle;
    private boolean closed;

    private HeldInstallLease(InstallLease lease, LeaseHandle handle, Duration period) {
        this.lease = lease;
        this.handle = handle;
        this.period = period;
    }

    /**
     * Takes it.
     *
     * @param holder as in {@link InstallLease#acquire}
     * @param period how long after each other it is renewed
     * @throws CatalogException.InstallInProgress if a living process holds it
     */
    static HeldInstallLease take(InstallLease lease, String holder, Duration period) {
        HeldInstallLease held = new HeldInstallLease(lease, lease.acquire(holder), period);
        Thread.ofPlatform().daemon().name("renew-install-lease").start(held::renewUntilClosed);
        return held;
    }

    private void renewUntilClosed() {
        lock.lock();
        try {
            while (!awaitClosing()) {
                try {
                    handle = lease.renew(handle);
                } catch (CatalogException.LeaseLost lost) {
                    // The caller that gives it back is told.
                    return;
                } catch (CatalogException busy) {
                    System.getLogger(HeldInstallLease.class.getName())
                            .log(System.Logger.Level.DEBUG, "the lease is not renewed yet", busy);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    /** Waits for a period; whether it was closed meanwhile. */
    private boolean awaitClosing() throws InterruptedException {
        long left = period.toNanos();
        while (!closed && left > 0) {
            left = closing.awaitNanos(left);
        }
        return closed;
    }

    /**
     * Gives it back.
     *
     * @throws CatalogException.LeaseLost if it is no longer held
     */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            closing.signalAll();
            LeaseTerm.end(term, InstallLease.NAME, handle.holder(), () -> {
                lease.clear(handle);
                return true;
            });
        } finally {
            lock.unlock();
        }
    }
}
