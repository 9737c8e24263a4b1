package dev.cloche.catalog;

import java.time.Instant;

/**
 * Says what the holder of a lease presents. Every acquisition and renewal gives a new one, and makes the earlier ones void.
 *
 * @param holder who took it, in words of its own
 * @param expiresAt when it ends by itself, to the millisecond
 */
public record LeaseHandle(String holder, Instant expiresAt) {
    public LeaseHandle {
        if (holder.isBlank()) {
            throw new IllegalArgumentException("a lease has a holder");
        }
    }
}
