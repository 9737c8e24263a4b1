package dev.cloche.vm.testing;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Whether a guest in memory is halted: what speaks for it waits then. */
final class InMemoryPause {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean paused;
    private boolean ended;

    boolean paused() {
        lock.lock();
        try {
            return paused;
        } finally {
            lock.unlock();
        }
    }

    void set(boolean value) {
        lock.lock();
        try {
            paused = value && !ended;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the guest, so that no thread waits any more. */
    void end() {
        lock.lock();
        try {
            ended = true;
            paused = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** A paused guest hears nothing. What its programs compute is not halted: this guest has no processor to stop. */
    void awaitRunning() {
        lock.lock();
        try {
            while (paused) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }
}
