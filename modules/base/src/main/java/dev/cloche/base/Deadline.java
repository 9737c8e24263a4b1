package dev.cloche.base;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A point in monotonic time after which a blocking call gives up. Setting the wall clock does not move it.
 *
 * <p>Immutable and safe to share between threads.
 */
public final class Deadline {
    /** The longest wait that is told apart from none: about 146 years. */
    private static final long FAR_NANOS = Long.MAX_VALUE / 2;

    private final long atNanos;
    private final boolean bounded;

    private Deadline(long atNanos, boolean bounded) {
        this.atNanos = atNanos;
        this.bounded = bounded;
    }

    /** Returns a deadline that never passes. */
    public static Deadline none() {
        return new Deadline(0, false);
    }

    /** Passes {@code after} from now; a duration of zero or less has passed already. */
    public static Deadline after(Duration after) {
        long nanos;
        try {
            nanos = Math.min(after.toNanos(), FAR_NANOS);
        } catch (ArithmeticException tooLong) {
            nanos = after.isNegative() ? 0 : FAR_NANOS;
        }
        return new Deadline(System.nanoTime() + nanos, true);
    }

    /** Returns whether this deadline has passed. */
    public boolean passed() {
        return bounded && atNanos - System.nanoTime() <= 0;
    }

    /** Returns the nanoseconds left, never negative; {@link Long#MAX_VALUE} for {@link #none()}. */
    public long remainingNanos() {
        return bounded ? Math.max(0, atNanos - System.nanoTime()) : Long.MAX_VALUE;
    }

    /** Returns the milliseconds left, rounded up, so that a wait of this length does not end early; never negative. */
    public long remainingMillis() {
        long nanos = remainingNanos();
        return bounded ? TimeUnit.NANOSECONDS.toMillis(nanos + 999_999) : Long.MAX_VALUE;
    }

    /** Returns the earlier of this deadline and {@code after} from now. */
    public Deadline orAfter(Duration after) {
        Deadline other = after(after);
        return bounded && atNanos - other.atNanos <= 0 ? this : other;
    }

    /** Returns the later of this deadline and {@code after} from now. */
    public Deadline atLeast(Duration after) {
        Deadline other = after(after);
        return !bounded || atNanos - other.atNanos >= 0 ? this : other;
    }
}
