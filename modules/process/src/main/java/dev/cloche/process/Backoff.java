package dev.cloche.process;

import java.time.Duration;

/**
 * Describes the back-off between attempts: pauses that double.
 *
 * @param first the first of them, from 1 ms
 * @param longest which they grow to, at most {@link ProcessLeases#LONGEST_LEASE}
 */
public record Backoff(Duration first, Duration longest) {
    private static final int MOST_DOUBLINGS = 30;

    public Backoff {
        if (first.compareTo(Duration.ofMillis(1)) < 0
                || first.compareTo(longest) > 0
                || longest.compareTo(ProcessLeases.LONGEST_LEASE) > 0) {
            throw new ProcessException.Invalid("pauses grow from 1 ms or more to "
                    + ProcessLeases.LONGEST_LEASE.toHours() + " h or less, not from " + first + " to " + longest);
        }
    }

    /** Returns always the same pause. */
    public static Backoff of(Duration pause) {
        return new Backoff(pause, pause);
    }

    /** Returns the nth pause in a row, from 1. */
    public Duration pause(int nth) {
        // A day is less than 2^27 ms, so this is the longest long before it overflows.
        long grown = first.toMillis() << Math.clamp(nth - 1L, 0, MOST_DOUBLINGS);
        return grown < longest.toMillis() ? Duration.ofMillis(grown) : longest;
    }
}
