package dev.cloche.pool.core;

import dev.cloche.pool.Eviction;
import dev.cloche.pool.PoolException;
import dev.cloche.pool.PoolStartKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Assigns entries to waiters, and takes back the entries that were leased. A part of {@link PoolCore}. */
final class EntryAssignment {
    private final PoolState state;

    EntryAssignment(PoolState state) {
        this.state = state;
    }

    Waiter queue(KeyBucket bucket, long now) {
        bucket.demand = bucket.demand.arrived(now);
        Waiter waiter = new Waiter(bucket.key(), state.number(), now);
        bucket.queue(waiter);
        return waiter;
    }

    /** Takes a waiter out of its queue; returns what it was granted meanwhile. */
    Optional<PoolEntry> cancel(Waiter waiter) {
        KeyBucket bucket = state.buckets.get(waiter.key());
        if (bucket != null) {
            bucket.waiters.remove(waiter);
        }
        return waiter.grant().getNow(null) instanceof Waiter.Grant.Ready ready
                ? Optional.of(ready.entry())
                : Optional.empty();
    }

    /** Puts a waiter back where it was in the queue. */
    void again(Waiter waiter) {
        waiter.again();
        KeyBucket bucket = state.buckets.get(waiter.key());
        if (state.closed) {
            fail(waiter, new PoolException.Closed());
        } else if (bucket == null) {
            fail(waiter, new PoolException.UnknownKey(waiter.key()));
        } else {
            bucket.queue(waiter);
        }
    }

    /** Takes back an entry that was leased and is as good as before. */
    void returned(PoolEntry entry, long now) {
        PoolState.Held held = PoolState.out(state.leased, entry);
        if (!state.gone(held.bucket())) {
            held.bucket().shelve(entry.knownAgain(now));
        } else if (!state.closed) {
            state.doom(entry, held.bucket(), Eviction.UNREGISTER, now);
        }
    }

    /** Drops an entry that was leased and is of no use to this pool; what is left of it has been seen to. */
    void lost(PoolEntry entry, Eviction cause) {
        state.forget(entry, PoolState.out(state.leased, entry).bucket(), cause);
    }

    /** Gives what is ready to the waiters, in their order, and an answer to those that wait in vain. */
    void serve(KeyBucket bucket, long now) {
        while (!bucket.waiters.isEmpty()) {
            Optional<Waiter.Grant.Ready> ready =
                    lease(bucket, bucket.waiters.getFirst().since(), now);
            if (ready.isPresent()) {
                Waiter first = bucket.waiters.removeFirst();
                if (ready.get().kind() == PoolStartKind.RESTORED) {
                    state.count(bucket, PoolCounters.Count.LATE_HITS);
                }
                grant(first, ready.get());
            } else if (bucket.hopeless(now)) {
                fail(bucket.waiters.removeFirst(), notRestored(bucket));
            } else if (state.shortage.isPresent() && bucket.underway.isEmpty()) {
                fail(bucket.waiters.removeFirst(), new PoolException.NotRestored(bucket.key(), state.shortage.get()));
            } else {
                return;
            }
        }
    }

    /**
     * Answers the longest waiter after a failed restore: it need not wait for the next, for there are other ways to
     * start.
     */
    void restoreFailed(KeyBucket bucket) {
        if (!bucket.waiters.isEmpty()) {
            fail(bucket.waiters.removeFirst(), notRestored(bucket));
        }
    }

    private static PoolException notRestored(KeyBucket bucket) {
        return new PoolException.NotRestored(bucket.key(), bucket.backoff.last().orElse("for a reason not known"));
    }

    void failAll(KeyBucket bucket, PoolException why) {
        bucket.waiters.forEach(waiter -> fail(waiter, why));
        bucket.waiters.clear();
    }

    private Optional<Waiter.Grant.Ready> lease(KeyBucket bucket, long since, long now) {
        List<PoolEntry> tooOld = new ArrayList<>();
        Optional<PoolEntry> found = bucket.pop(now, tooOld);
        tooOld.forEach(entry -> state.doom(entry, bucket, Eviction.AGE, now));
        return found.map(entry -> {
            state.leased.put(entry.number(), new PoolState.Held(entry, bucket));
            return new Waiter.Grant.Ready(
                    entry, entry.bornAt() - since >= 0 ? PoolStartKind.RESTORED : PoolStartKind.WARM);
        });
    }

    private static void fail(Waiter waiter, PoolException why) {
        grant(waiter, new Waiter.Grant.Failed(why));
    }

    private static void grant(Waiter waiter, Waiter.Grant grant) {
        waiter.grant().complete(grant);
    }
}
