package dev.cloche.process.store;

import dev.cloche.process.ProcessLeases;
import java.time.Instant;

/**
 * Describes a moment, as the one authority that a store has for time knows it.
 *
 * @param wall to be shown; it may jump. Whole milliseconds
 * @param epoch within which ticks can be compared: the boot of a host, or always the same
 * @param ticks milliseconds of a clock that cannot be set
 */
public record StoreTime(Instant wall, String epoch, long ticks) {
    /** The longest that a lease or a pause lasts, in milliseconds. */
    public static final long LONGEST_MILLIS = ProcessLeases.LONGEST_LEASE.toMillis();

    /** Returns the ticks of so many milliseconds later, or the last that there are. */
    public long ticksAfter(long millis) {
        long sum = ticks + millis;
        return millis >= 0 && sum < ticks ? Long.MAX_VALUE : sum;
    }

    /**
     * Tells whether the end of a lease or a pause is still to come. One from before the last boot is over, and so is one
     * that claims to last longer than any can: its clock was not ours.
     */
    boolean isBefore(String endEpoch, long endTicks) {
        return endEpoch.equals(epoch) && endTicks > ticks && endTicks <= ticksAfter(LONGEST_MILLIS);
    }
}
