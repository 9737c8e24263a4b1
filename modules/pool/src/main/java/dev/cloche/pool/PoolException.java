package dev.cloche.pool;

import dev.cloche.base.ClocheException;
import org.jspecify.annotations.Nullable;

/** Is thrown when something goes wrong with a warm pool as such; errors of VMs have a family of their own. */
public abstract sealed class PoolException extends ClocheException {
    private PoolException(String code, String sentence, String remedy, @Nullable Throwable cause) {
        super(code, sentence, remedy, cause);
    }

    /** A value is outside of its range. Code {@code pool.invalid}. */
    public static final class Invalid extends PoolException {
        public Invalid(String sentence, String remedy) {
            super("pool.invalid", sentence, remedy, null);
        }
    }

    /** Nothing is registered for the key. Code {@code pool.unknown-key}. */
    public static final class UnknownKey extends PoolException {
        public UnknownKey(StackKey key) {
            super("pool.unknown-key", "The pool has no snapshot of " + key, "Register it first.", null);
        }
    }

    /** The pool is closed. Code {@code pool.closed}. */
    public static final class Closed extends PoolException {
        public Closed() {
            super("pool.closed", "The pool is closed", "Open another.", null);
        }
    }

    /** The deadline passed before a VM was ready. Code {@code pool.deadline}. */
    public static final class Late extends PoolException {
        Late(StackKey key) {
            super("pool.deadline", "No VM of " + key + " was ready in time", "Give it longer, or a deeper pool.", null);
        }
    }

    /** The thread was interrupted while it waited; its interrupt status is set. Code {@code pool.interrupted}. */
    public static final class Interrupted extends PoolException {
        public Interrupted() {
            super("pool.interrupted", "Interrupted while waiting for a VM", "", null);
        }
    }

    /**
     * A warm-up or a health check refused a VM; why stands in the sentence. Code {@code pool.rejected}.
     */
    public static final class Rejected extends PoolException {
        public Rejected(String sentence, @Nullable Throwable cause) {
            super(
                    "pool.rejected",
                    sentence,
                    "Mend what the warm-up or the health check complains of; the pool tries again by itself.",
                    cause);
        }
    }

    /** A VM of the pool is not what its acquirer needs, and stays in the pool. Code {@code pool.unfit}. */
    public static final class Unfit extends PoolException {
        public Unfit(String why) {
            super("pool.unfit", "The VM does not fit: " + why, "Start one without the pool.", null);
        }
    }

    /** No VM could be restored. Code {@code pool.not-restored}. */
    public static final class NotRestored extends PoolException {
        public NotRestored(StackKey key, String why) {
            super(
                    "pool.not-restored",
                    "VMs of " + key + " cannot be restored: " + why,
                    "Mend what the message says, or register another snapshot.",
                    null);
        }
    }

    /** The handle's VM was taken before, or the handle is closed. Code {@code pool.taken}. */
    public static final class Taken extends PoolException {
        Taken() {
            super("pool.taken", "This VM was handed out before", "Acquire another.", null);
        }
    }
}
