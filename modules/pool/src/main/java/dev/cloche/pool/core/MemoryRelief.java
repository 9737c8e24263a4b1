package dev.cloche.pool.core;

import dev.cloche.pool.Eviction;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Decides which entries go while the host is short of memory. As long as it is, and {@link #CALM} after, nothing is restored. A part
 * of {@link PoolCore}.
 */
public final class MemoryRelief {
    /** The kernel's figure looks back ten seconds, and what is restored again at once would soon have to go again. */
    static final Duration CALM = Duration.ofSeconds(30);

    private static final int MOST_AT_ONCE = 1024;

    private final PoolState state;
    private long shortAt;
    private int next = 1;

    MemoryRelief(PoolState state) {
        this.state = state;
    }

    /** Says what a look at the host's memory has changed. */
    public enum Change {
        NONE,
        /** Entries go from now on, and none is made. */
        BEGUN,
        /** Entries are made again. */
        OVER
    }

    /**
     * Takes in a look at the host's memory.
     *
     * @param shortage part of a sentence on what is short; empty if nothing is
     */
    Change seen(Optional<String> shortage, long now) {
        if (shortage.isPresent()) {
            Change change = state.shortage.isEmpty() ? Change.BEGUN : Change.NONE;
            state.shortage = shortage;
            shortAt = now;
            retire(now);
            return change;
        }
        next = 1;
        if (state.shortage.isEmpty() || now - shortAt < CALM.toNanos()) {
            return Change.NONE;
        }
        state.shortage = Optional.empty();
        return Change.OVER;
    }

    /**
     * Has one entry go, the oldest of those that this process keeps, and twice as many at each further look that finds memory
     * short: one is often enough, and many are gone after a few looks. What goes already is waited for.
     */
    private void retire(long now) {
        if (state.destroyQueue.makesRoom(now)) {
            return;
        }
        List<PoolState.Held> oldest = state.buckets.values().stream()
                .filter(bucket -> bucket.registration().keeps())
                .flatMap(bucket -> bucket.ready.stream().map(entry -> new PoolState.Held(entry, bucket)))
                .sorted(Comparator.comparingLong(held -> held.entry().bornAt() - now))
                .limit(next)
                .toList();
        if (oldest.isEmpty()) {
            return;
        }
        next = Math.min(MOST_AT_ONCE, next * 2);
        oldest.forEach(
                held -> state.doom(held.bucket().remove(held.entry().number()), held.bucket(), Eviction.PRESSURE, now));
    }
}
