package dev.cloche.vm.testing;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Whether a guest in memory is halted: what speaks for it waits then. */
final class InMemoryPause {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean paused;
    private boolean held;
    private boolean ended;

    boolean paused() {
        lock.lock();
        try {
            return paused || held;
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

    /** Returns whether it is halted at its limit. */
    boolean held() {
        lock.lock();
        try {
            return held;
        } finally {
            lock.unlock();
        }
    }

    /** Halts it at its limit. */
    void hold() {
        held(true);
    }

    /** Has it go on that was halted at its limit, unless it is halted for another reason too. */
    void release() {
        held(false);
    }

    private void held(boolean value) {
        lock.lock();
        try {
            held = value && !ended;
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
            paused = held = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** A paused guest hears nothing. What its programs compute is not halted: this guest has no processor to stop. */
    void awaitRunning() {
        lock.lock();
        try {
            while (paused || held) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }
}
