package dev.cloche.process.store;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets callers that come at once share one commit. A caller that finds no other at work becomes the leader and runs what has
 * gathered, its own and that of the others; then it hands on to one of those that came meanwhile. So a single caller pays
 * for no thread but its own, and of many each waits for at most two commits. For stores. Safe for use from many threads.
 *
 * @param <J> what is to be done
 */
public final class GroupCommit<J> {
    private static final int LARGEST_BATCH = 512;

    /** What is done with the jobs of a group. */
    public interface Batch<J> {
        /** Runs them. When it returns all is done; it throws only if nothing is known of any of them. */
        void run(List<J> jobs);

        /**
         * Comes after {@link #run}, and before their callers go on, while the next group runs, which need not wait for this.
         */
        void tell(List<J> jobs);
    }

    private final Batch<J> batch;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Entry<J>> waiting = new ArrayDeque<>();
    private boolean led;

    public GroupCommit(Batch<J> batch) {
        this.batch = batch;
    }

    private enum Turn {
        WAITING,
        LEADS,
        DONE
    }

    /** A job, and the thread that waits for it: by itself, for woken through a lock all would wait for each other once more. */
    private static final class Entry<J> {
        final J job;
        final Thread caller = Thread.currentThread();
        private volatile Turn turn = Turn.WAITING;

        Entry(J job) {
            this.job = job;
        }

        void wake(Turn next) {
            turn = next;
            LockSupport.unpark(caller);
        }

        /** Not cut short by an interrupt, which the caller finds afterwards. */
        Turn await() {
            boolean interrupted = false;
            while (turn == Turn.WAITING) {
                LockSupport.park(this);
                interrupted |= Thread.interrupted();
            }
            if (interrupted) {
                caller.interrupt();
            }
            return turn;
        }
    }

    /** Returns when the job has been run. The wait is not cut short by an interrupt, for the job cannot be taken back. */
    public void run(J job) {
        Entry<J> entry = new Entry<>(job);
        if (leads(entry) || entry.await() == Turn.LEADS) {
            lead();
        }
    }

    /** Returns whether no other caller is at work. */
    private boolean leads(Entry<J> entry) {
        lock.lock();
        try {
            waiting.add(entry);
            boolean first = !led;
            led = true;
            return first;
        } finally {
            lock.unlock();
        }
    }

    private void lead() {
        List<Entry<J>> taken = take();
        // An interrupt is for the leader's own work and must not fail the others'.
        boolean interrupted = Thread.interrupted();
        List<J> jobs = taken.stream().map(entry -> entry.job).toList();
        try {
            try {
                batch.run(jobs);
            } finally {
                handOn();
            }
            batch.tell(jobs);
        } finally {
            taken.forEach(entry -> entry.wake(Turn.DONE));
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

    private void handOn() {
        lock.lock();
        try {
            Entry<J> next = waiting.peek();
            if (next == null) {
                led = false;
            } else {
                next.wake(Turn.LEADS);
            }
        } finally {
            lock.unlock();
        }
    }
}
