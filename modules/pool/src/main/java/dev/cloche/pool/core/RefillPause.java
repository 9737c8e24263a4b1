package dev.cloche.pool.core;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * Holds back what is restored for depth alone while a VM is handed over, and until its acquirer has had time for a first command:
 * on two processors a restore would make both take half as long again. Waiters are never held back, and nothing is for longer than
 * {@link #LONGEST}, however many are handed over. Guarded by the pool's lock.
 */
final class RefillPause {
    /** From the end of a hand-over. */
    static final Duration AFTER = Duration.ofMillis(25);

    /** Since the restore was first needed. */
    static final Duration LONGEST = Duration.ofMillis(125);

    private OptionalLong handedOverAt = OptionalLong.empty();

    void handedOver(long now) {
        handedOverAt = OptionalLong.of(now);
    }

    /**
     * Says whether to wait.
     *
     * @param handingOver whether a VM is being handed over now
     * @param neededSince of the bucket whose restores these would be
     */
    boolean holds(boolean handingOver, OptionalLong neededSince, long now) {
        boolean recent = handedOverAt.isPresent() && now - handedOverAt.getAsLong() < AFTER.toNanos();
        return (handingOver || recent) && neededSince.isPresent() && now - neededSince.getAsLong() < LONGEST.toNanos();
    }

    /** Returns how long after a time it ends, if it does not end with a hand-over. */
    OptionalLong due(long after) {
        return handedOverAt.stream()
                .map(at -> at + AFTER.toNanos() - after)
                .filter(left -> left > 0)
                .findFirst();
    }
}
