package dev.cloche.pool;

import java.time.Duration;

/** The checks of what is ready, before its last verdict is too old. A part of {@link PoolCore}. */
final class Rechecks {
    private final PoolState state;

    Rechecks(PoolState state) {
        this.state = state;
    }

    /** One at a time, so that the others can be handed out meanwhile. */
    void begin(Bucket bucket, long now) {
        long every = state.config.checkedRecently().toNanos() / 2;
        if (!bucket.checking.isEmpty()) {
            return;
        }
        bucket.ready.stream()
                .filter(entry -> now - entry.checkedAt() >= every)
                .findFirst()
                .ifPresent(entry -> {
                    bucket.ready.remove(entry);
                    bucket.checking.put(entry.number(), entry);
                    state.checks.put(entry.number(), new PoolState.Held(entry, bucket));
                    state.want(new Effect.Check(entry));
                });
    }

    void checked(Entry entry, Verdict verdict, Duration took, long now) {
        Bucket bucket = PoolState.out(state.checks, entry).bucket();
        bucket.checking.remove(entry.number());
        state.tell(new PoolEvent.Checked(entry.key(), entry.vm().id(), took, verdict));
        if (verdict instanceof Verdict.Unhealthy) {
            state.count(bucket, Tally.Count.VALIDATION_FAILURES);
            state.doom(entry, bucket, Eviction.VALIDATION, now);
        } else if (state.gone(bucket)) {
            state.leave(entry, bucket, state.closed ? Eviction.CLOSE : Eviction.UNREGISTER, now);
        } else {
            entry.checked(now);
            bucket.ready.addLast(entry);
        }
    }
}
