package dev.cloche.process.store;

/**
 * Describes a pause as it is stored.
 *
 * @param epoch of the ticks ({@link StoreTime})
 * @param untilTicks the first moment at which it is over
 */
public record PauseRow(String epoch, long untilTicks) {
    /** Tells whether it keeps workers away at this moment. */
    public boolean isLive(StoreTime now) {
        return now.isBefore(epoch, untilTicks);
    }
}
