package dev.cloche.process;

import dev.cloche.base.Deadline;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The threads that wait for something to be committed. A commit wakes those that it concerns and costs the others
 * nothing; a thread that waits costs nothing either.
 *
 * <p>Nothing is missed by who enters first, looks then, and waits last: what is committed after the look rings.
 */
final class Waiters implements CommitListener {
    private final Map<String, Set<Waiter>> byProcess = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** A thread that is about to wait. */
    final class Waiter implements AutoCloseable {
        private final String processId;
        private final Predicate<Change> interest;
        private final Semaphore bell = new Semaphore(0);

        private Waiter(String processId, Predicate<Change> interest) {
            this.processId = processId;
            this.interest = interest;
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
            byProcess.computeIfPresent(processId, (_, waiters) -> {
                waiters.remove(this);
                return waiters.isEmpty() ? null : waiters;
            });
        }
    }

    Waiter enter(String processId, Predicate<Change> interest) {
        Waiter waiter = new Waiter(processId, interest);
        byProcess.compute(processId, (_, present) -> {
            Set<Waiter> waiters = present == null ? ConcurrentHashMap.newKeySet() : present;
            waiters.add(waiter);
            return waiters;
        });
        return waiter;
    }

    @Override
    public void committed(Collection<Change> changes) {
        if (byProcess.isEmpty()) {
            return;
        }
        for (Change change : changes) {
            for (Waiter waiter : byProcess.getOrDefault(change.processId(), Set.of())) {
                if (waiter.interest.test(change)) {
                    waiter.ring();
                }
            }
        }
    }

    @Override
    public void unknownCommitted() {
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
