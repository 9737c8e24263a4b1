package dev.cloche.interpreter.driver;

import dev.cloche.base.Deadline;
import dev.cloche.interpreter.InterpreterException;
import dev.cloche.interpreter.protocol.Answer;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Hands answers from the thread that reads a guest to the one that has asked, one at a time: a guest that floods is not read on.
 * One question is asked at a time, and what comes while none is, is no answer. Safe for use from several threads.
 */
final class Inbox {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean busy;
    private boolean asked;
    private @Nullable Answer next;
    private @Nullable Supplier<RuntimeException> failure;
    private Optional<Answer.Ended> ended = Optional.empty();

    /**
     * Lets answers come from now on, up to the one that is the last. The next question may come after {@link #finish}.
     *
     * @throws InterpreterException.Busy if another question is not finished
     * @throws InterpreterException if the other side has ended
     */
    void ask() {
        lock.lock();
        try {
            if (busy) {
                throw new InterpreterException.Busy();
            }
            if (ended.isPresent()) {
                throw new InterpreterException.ContextEnded(CellText.ended(ended.get()), null);
            }
            if (failure != null) {
                throw failure.get();
            }
            asked = true;
            busy = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends what {@link #ask} has begun. */
    void finish() {
        lock.lock();
        try {
            busy = false;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until something is asked, or nothing more can be. */
    void awaitQuestion() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!asked && !isOver()) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the answer was asked for. Waits until the one before is taken. */
    boolean put(Answer answer) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (next != null && !isOver()) {
                changed.await();
            }
            if (answer instanceof Answer.Ended end) {
                ended = isOver() ? ended : Optional.of(end);
            } else if (!asked) {
                return false;
            } else {
                next = answer;
                asked = !isLast(answer);
            }
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Nothing more comes. The first reason counts. */
    void fail(Supplier<RuntimeException> why) {
        lock.lock();
        try {
            if (!isOver()) {
                failure = why;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    boolean isOver() {
        lock.lock();
        try {
            return failure != null || ended.isPresent();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for the next answer; empty if the deadline passes. At the end of the other side, the answer that says so.
     *
     * @throws RuntimeException why nothing more comes
     */
    Optional<Answer> take(Deadline deadline) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (next == null && !isOver()) {
                long left = deadline.remainingNanos();
                if (left == 0) {
                    return Optional.empty();
                }
                var _ = changed.awaitNanos(left);
            }
            if (next != null) {
                Answer taken = next;
                next = null;
                changed.signalAll();
                return Optional.of(taken);
            }
            if (failure != null) {
                throw failure.get();
            }
            return Optional.of(ended.orElseThrow());
        } finally {
            lock.unlock();
        }
    }

    private static boolean isLast(Answer answer) {
        return switch (answer) {
            case Answer.Written _, Answer.Shown _, Answer.Thrown _ -> false;
            case Answer.Driver _, Answer.Refused _, Answer.Ready _, Answer.Done _, Answer.Checked _, Answer.Ended _ ->
                true;
        };
    }
}
