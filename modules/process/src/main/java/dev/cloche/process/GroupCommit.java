package dev.cloche.process;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets callers that come at once share one commit. Who finds nobody at work becomes the leader and runs what has gathered,
 * its own and that of the others; then it hands on to one of those that came meanwhile. So a single caller pays for no
 * thread but its own, and of many each waits for at most two commits. Safe for use from many threads.
 *
 * @param <J> what is to be done
 */
final class GroupCommit<J> {
    private static final int LARGEST_BATCH = 512;

    /** Runs a batch. When it returns all is done; it throws only if nothing is known of any of them. */
    @FunctionalInterface
    interface Batch<J> {
        void run(List<J> jobs);
    }

    private final Batch<J> batch;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Entry<J>> waiting = new ArrayDeque<>();
    private boolean led;

    GroupCommit(Batch<J> batch) {
        this.batch = batch;
    }

    private static final class Entry<J> {
        final J job;
        final Condition turn;
        boolean done;
        boolean leads;

        Entry(J job, Condition turn) {
            this.job = job;
            this.turn = turn;
        }
    }

    /** Returns when the job has been run. The wait is not cut short by an interrupt, for the job cannot be taken back. */
    void run(J job) {
        Entry<J> entry;
        lock.lock();
        try {
            entry = new Entry<>(job, lock.newCondition());
            waiting.add(entry);
            if (!led) {
                led = true;
                entry.leads = true;
            }
            while (!entry.leads && !entry.done) {
                entry.turn.awaitUninterruptibly();
            }
            if (entry.done) {
                return;
            }
        } finally {
            lock.unlock();
        }
        lead();
    }

    private void lead() {
        List<Entry<J>> taken = take();
        // An interrupt is for the leader's own work and must not fail the others'.
        boolean interrupted = Thread.interrupted();
        try {
            batch.run(taken.stream().map(entry -> entry.job).toList());
        } finally {
            finish(taken);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private List<Entry<J>> take() {
        lock.lock();
        try {
            List<Entry<J>> taken = new ArrayList<>();
            while (!waiting.isEmpty() && taken.size() < LARGEST_BATCH) {
                taken.add(waiting.remove());
            }
            return taken;
        } finally {
            lock.unlock();
        }
    }

    private void finish(List<Entry<J>> taken) {
        lock.lock();
        try {
            Entry<J> next = waiting.peek();
            if (next == null) {
                led = false;
            } else {
                next.leads = true;
                next.turn.signal();
            }
            for (Entry<J> entry : taken) {
                entry.done = true;
                entry.turn.signal();
            }
        } finally {
            lock.unlock();
        }
    }
}
