package dev.cloche.vmm.channel;

import dev.cloche.vm.VmException;
import java.io.InterruptedIOException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tracks whether a stream goes on, and waits until it does: what the two directions have in common. What the other side does
 * to it may be told at any time; everything else is called with the lock held.
 */
final class StreamState {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean closed;
    private boolean ended;
    private @Nullable VmException failure;
    private volatile boolean cut;

    void lock() {
        lock.lock();
    }

    void unlock() {
        lock.unlock();
    }

    /** Wakes who waits in {@link #awaitWhile}. */
    void changed() {
        changed.signalAll();
    }

    /** @param doing for the message, as in "reading stdout" */
    void awaitWhile(BooleanSupplier condition, String doing) throws InterruptedIOException {
        try {
            while (condition.getAsBoolean()) {
                changed.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while " + doing);
            interrupted.initCause(e);
            throw interrupted;
        }
    }

    boolean open() {
        return !closed && !ended && failure == null;
    }

    /** This side wants no more. */
    void close() {
        closed = true;
        changed();
    }

    /** The other side has ended. */
    void end() {
        lock();
        try {
            ended = true;
            changed();
        } finally {
            unlock();
        }
    }

    /** The other side is out of reach, and that is an error, unless the end or another error was known. */
    void fail(VmException cause) {
        lock();
        try {
            cut = true;
            if (!ended && failure == null) {
                failure = cause;
                changed();
            }
        } finally {
            unlock();
        }
    }

    /** Nothing is said to the other side from here on: it may hear of this stream from another connection. */
    void cut() {
        cut = true;
    }

    /** Returns whether nothing may be said to the other side any more. Known without the lock too. */
    boolean isCut() {
        return cut;
    }

    boolean closed() {
        return closed;
    }

    boolean ended() {
        return ended;
    }

    @Nullable
    VmException failure() {
        return failure;
    }
}
