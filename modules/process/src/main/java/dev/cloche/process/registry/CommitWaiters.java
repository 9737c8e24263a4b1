package dev.cloche.process.registry;

import dev.cloche.base.Deadline;
import dev.cloche.process.Change;
import dev.cloche.process.ProcessException;
import dev.cloche.process.store.CommitListener;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Wakes the threads that wait for something to be committed. A commit wakes those that it concerns and costs the others
 * nothing; a thread that waits costs nothing either.
 *
 * <p>A thread that enters first, then looks, and waits last misses nothing: what is committed after the look wakes it.
 */
final class CommitWaiters implements CommitListener {
    private final Map<String, Set<Waiter>> byProcess = new ConcurrentHashMap<>();
    /** Of any process. There are few of them: one for each worker. */
    private final Set<Waiter> ofAny = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    /** A thread that is about to wait. */
    final class Waiter implements AutoCloseable {
        private final Predicate<Change> interest;
        private final Consumer<Waiter> leave;
        private final Semaphore bell = new Semaphore(0);

        private Waiter(Predicate<Change> interest, Consumer<Waiter> leave) {
            this.interest = interest;
            this.leave = leave;
        }

        /**
         * Waits until something of interest was committed since the last call.
         *
         * @return false if the deadline has passed
         * @throws ProcessException.Interrupted if the thread is interrupted
         * @throws ProcessException.Closed if the registry is closed
         */
        boolean await(String what, Deadline deadline) {
            requireOpen();
            try {
                boolean rung = bell.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
                bell.drainPermits();
                requireOpen();
                return rung;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ProcessException.Interrupted(what);
            }
        }

        private void ring() {
            if (bell.availablePermits() == 0) {
                bell.release();
            }
        }

        @Override
        public void close() {
            leave.accept(this);
        }
    }

    /** For what is committed of any process. */
    Waiter enter(Predicate<Change> interest) {
        Waiter waiter = new Waiter(interest, ofAny::remove);
        ofAny.add(waiter);
        return waiter;
    }

    Waiter enter(String processId, Predicate<Change> interest) {
        Waiter waiter = new Waiter(interest, left -> leave(processId, left));
        byProcess.compute(processId, (_, present) -> {
            Set<Waiter> waiters = present == null ? ConcurrentHashMap.newKeySet() : present;
            waiters.add(waiter);
            return waiters;
        });
        return waiter;
    }

    private void leave(String processId, Waiter left) {
        byProcess.computeIfPresent(processId, (_, waiters) -> {
            waiters.remove(left);
            return waiters.isEmpty() ? null : waiters;
        });
    }

    @Override
    public void committed(Collection<Change> changes) {
        if (byProcess.isEmpty() && ofAny.isEmpty()) {
            return;
        }
        for (Change change : changes) {
            ring(byProcess.getOrDefault(change.processId(), Set.of()), change);
            ring(ofAny, change);
        }
    }

    private static void ring(Set<Waiter> waiters, Change change) {
        for (Waiter waiter : waiters) {
            if (waiter.interest.test(change)) {
                waiter.ring();
            }
        }
    }

    @Override
    public void unknownCommitted() {
        ofAny.forEach(Waiter::ring);
        byProcess.values().forEach(waiters -> waiters.forEach(Waiter::ring));
    }

    void close() {
        closed = true;
        unknownCommitted();
    }

    private void requireOpen() {
        if (closed) {
            throw new ProcessException.Closed();
        }
    }
}
