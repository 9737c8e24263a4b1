package dev.cloche.process;

import dev.cloche.process.store.StoreTime;

/**
 * What the callers of one process know of its pauses: until when no worker can be offered it, and until when it may be kept
 * from workers. A call whose outcome is not known may have begun a pause or ended one.
 */
final class PauseLedger {
    private String epoch = "";
    private long surelyUntil = Long.MIN_VALUE;
    private long perhapsUntil = Long.MIN_VALUE;

    void began(StoreTime now, Backoff pauses) {
        epoch = now.epoch();
        surelyUntil = now.ticks() + pauses.first().toMillis();
        perhapsUntil = now.ticks() + pauses.longest().toMillis();
    }

    void perhapsBegan(StoreTime now, Backoff pauses) {
        if (!epoch.equals(now.epoch())) {
            ended();
            epoch = now.epoch();
        }
        perhapsUntil = Math.max(perhapsUntil, now.ticks() + pauses.longest().toMillis());
    }

    void perhapsEnded() {
        surelyUntil = Long.MIN_VALUE;
    }

    void ended() {
        surelyUntil = Long.MIN_VALUE;
        perhapsUntil = Long.MIN_VALUE;
    }

    boolean surelyPaused(StoreTime now) {
        return epoch.equals(now.epoch()) && now.ticks() < surelyUntil;
    }

    boolean perhapsPaused(StoreTime now) {
        return epoch.equals(now.epoch()) && now.ticks() < perhapsUntil;
    }
}
