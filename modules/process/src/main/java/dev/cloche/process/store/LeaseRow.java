package dev.cloche.process.store;

import java.time.Instant;

/**
 * Describes a lease as it is stored.
 *
 * @param epoch of the ticks ({@link StoreTime})
 * @param expiresTicks the first moment at which it is not live any more
 * @param claimedAt by the wall clock, to be shown
 */
public record LeaseRow(String owner, String token, long fence, String epoch, long expiresTicks, Instant claimedAt) {
    /** Tells whether it keeps others away at this moment. */
    public boolean isLive(StoreTime now) {
        return now.isBefore(epoch, expiresTicks);
    }
}
