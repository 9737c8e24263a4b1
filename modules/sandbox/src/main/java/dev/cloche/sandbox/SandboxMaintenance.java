package dev.cloche.sandbox;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.catalog.PeriodicLease;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.linux.ProcessName;
import dev.cloche.sandbox.lifecycle.OwnedSandboxes;
import dev.cloche.sandbox.lifecycle.SandboxContext;
import dev.cloche.sandbox.reconcile.Sweep;
import dev.cloche.sandbox.reconcile.SweepFacts;
import dev.cloche.sandbox.reconcile.SweepNote;
import dev.cloche.sandbox.reconcile.SweepPreview;
import dev.cloche.sandbox.reconcile.SweepRule;
import dev.cloche.sandbox.reconcile.UnfinishedTerminations;
import dev.cloche.sandbox.record.SweepStore;
import dev.cloche.sandbox.snapshot.SnapshotSweep;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;

/**
 * Keeps the records of sandboxes true and their leftovers away, also after runtimes that died. Of all processes on a state
 * root one sweeps in each window of time; what that costs is bounded by {@link MaintenanceLimits}.
 *
 * <p>Nothing here fails its caller: what goes wrong is counted, logged and tried again. Safe for use from several threads.
 */
public final class SandboxMaintenance implements AutoCloseable {
    static final String LEASE = "sandbox_lifecycle_maintenance";

    /** Of sweeps in a row, each of which did something; 25,000 changes by default. */
    private static final int MOST_IN_A_ROW = 100;

    private final SandboxContext context;
    private final SweepStore store;
    private final SnapshotSweep snapshots;
    private final UnfinishedTerminations unfinished;
    private final LongFunction<OwnedSandboxes.Held> suspendHeld;
    private final MaintenanceLimits limits;
    private final PeriodicLease lease;
    /** Threads of one runtime wait for each other, and do not take each other for another runtime. */
    private final ReentrantLock sweeping = new ReentrantLock();

    /** Held while files are made beside the catalog, for which its closing is no end. */
    private final ReentrantLock keeping = new ReentrantLock();

    private final CountDownLatch closing = new CountDownLatch(1);
    private volatile Optional<Thread> timer = Optional.empty();

    /**
     * @param unfinished closed by its owner, after this
     * @param suspendHeld suspends a sandbox that its guard has halted at its deadline, by the row's id
     */
    SandboxMaintenance(
            SandboxContext context,
            SweepStore store,
            SnapshotSweep snapshots,
            UnfinishedTerminations unfinished,
            LongFunction<OwnedSandboxes.Held> suspendHeld,
            MaintenanceLimits limits) {
        this.unfinished = unfinished;
        this.suspendHeld = suspendHeld;
        this.context = context;
        this.store = store;
        this.snapshots = snapshots;
        this.limits = limits;
        lease = lease(limits.window());
    }

    private PeriodicLease lease(Duration window) {
        return store.lease(LEASE, limits.lease(), window);
    }

    /**
     * Sweeps on a thread of its own, now if that is due, and then once in each window for as long as this is open. Costs the
     * caller one read. To be called once.
     */
    public void start() {
        boolean due = isDue();
        Thread thread = Thread.ofPlatform().daemon().name("sandbox-maintenance").unstarted(() -> run(due));
        timer = Optional.of(thread);
        thread.start();
    }

    private boolean isDue() {
        try {
            return lease.due();
        } catch (RuntimeException failure) {
            failed(failure);
            return false;
        }
    }

    private void run(boolean due) {
        try {
            boolean now = due;
            do {
                if (now) {
                    var _ = sweepIfDue();
                }
                now = true;
            } while (!closing.await(limits.window().toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException noThreadDoesThat) {
            Thread.currentThread().interrupt();
        }
    }

    /** Sweeps unless another process does so, or has done so within the window. */
    public MaintenanceReport sweepIfDue() {
        return sweep(lease);
    }

    /** Sweeps until nothing remains to be done, unless another process is sweeping now. */
    public MaintenanceReport sweep() {
        PeriodicLease atAnyTime = lease(Duration.ZERO);
        MaintenanceReport all = sweep(atAnyTime);
        MaintenanceReport last = all;
        for (int i = 1; i < MOST_IN_A_ROW && last.timedOut() && last.didSomething(); i++) {
            last = sweep(atAnyTime);
            all = all.plus(last);
        }
        return all;
    }

    private MaintenanceReport sweep(PeriodicLease right) {
        sweeping.lock();
        try {
            Optional<PeriodicLease.Held> held = right.tryAcquire(holder());
            if (held.isEmpty()) {
                return MaintenanceReport.notDue();
            }
            Sweep.Done done = new Sweep(
                            context,
                            store,
                            snapshots,
                            unfinished,
                            limits,
                            SweepNote.parse(held.get().note()))
                    .run();
            if (!right.complete(held.get(), done.note().text(), limits.budget())) {
                System.getLogger(SandboxMaintenance.class.getName())
                        .log(Level.DEBUG, "a sweep was not recorded as complete; another one follows soon");
            }
            keepForBadDays();
            countStateDisk();
            return suspend(done.held(), done.report());
        } catch (RuntimeException failure) {
            failed(failure);
            return MaintenanceReport.failed();
        } finally {
            sweeping.unlock();
        }
    }

    /**
     * The reserve for a full disk, and the copy for a lost catalog; neither is begun once this is closing. That either fails is
     * no failure of the sweep.
     */
    private void keepForBadDays() {
        try {
            keepUnlessClosing(() -> store.refillReserve(Deadline.after(limits.lease())));
            keepUnlessClosing(store::renewCopy);
        } catch (RuntimeException later) {
            failed(later);
        }
    }

    /** What this sweep has removed does not count any more. */
    private void countStateDisk() {
        try {
            keepUnlessClosing(() -> context.vms().countStateDisk(Deadline.after(limits.lease())));
        } catch (RuntimeException later) {
            failed(later);
        }
    }

    /** Not as a part of the sweep, which other processes wait for: one may take as long as its memory is large. */
    private MaintenanceReport suspend(List<Long> held, MaintenanceReport swept) {
        MaintenanceReport report = swept;
        for (long each : held) {
            if (closing.getCount() > 0) {
                report = switch (suspendHeld.apply(each)) {
                    case SUSPENDED -> report.withHeld(1, 0);
                    case RESISTS -> report.withHeld(0, 1);
                    case LEFT -> report;
                };
            }
        }
        return report;
    }

    private void keepUnlessClosing(Runnable files) {
        keeping.lock();
        try {
            if (closing.getCount() > 0) {
                files.run();
            }
        } finally {
            keeping.unlock();
        }
    }

    private void failed(RuntimeException failure) {
        boolean closed = closing.getCount() == 0;
        System.getLogger(SandboxMaintenance.class.getName())
                .log(
                        closed || failure instanceof ClocheException ? Level.DEBUG : Level.WARNING,
                        "a sweep failed; another one follows soon",
                        failure);
    }

    /** Returns what a sweep would do now. Does nothing, and may take as long as looking at all sandboxes takes. */
    public List<MaintenanceStep> preview() {
        SweepNote note = SweepNote.parse(lease.note());
        SweepRule rule = new SweepRule(context.clock().instant(), limits.ownerGrace());
        return new SweepPreview(store, new SweepFacts(context, rule, note)).steps();
    }

    private static String holder() {
        return ProcessName.of(ProcessIdentity.current());
    }

    /**
     * Ends the timer, and waits for a sweep that is running as long as it may take. Files that it makes beside the catalog are
     * waited for to their end, and none is begun any more: afterwards the state root can be removed.
     */
    @Override
    public void close() {
        keeping.lock();
        try {
            closing.countDown();
        } finally {
            keeping.unlock();
        }
        timer.ifPresent(thread -> {
            try {
                thread.join(limits.budget().multipliedBy(2));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }
}
