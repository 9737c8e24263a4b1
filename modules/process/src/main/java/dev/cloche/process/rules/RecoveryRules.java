package dev.cloche.process.rules;

import dev.cloche.process.AbandonReason;
import dev.cloche.process.RecoveryPolicy;
import dev.cloche.process.store.LeaseRow;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.StoreTime;
import java.time.Duration;
import java.util.Optional;

/** Decides about processes whose driving came to nothing: plain functions. */
public final class RecoveryRules {
    private RecoveryRules() {}

    /**
     * Returns why a running process without a live lease is not to be driven again; empty if a worker may have it. A lease
     * that is still recorded is that of a lost owner, for one that was given back is gone.
     */
    public static Optional<AbandonReason> abandon(ProcessHead process) {
        boolean ownerLost = process.lease().isPresent();
        return switch (process.recovery()) {
            case RecoveryPolicy.OwnerBound _ -> ownerLost ? Optional.of(AbandonReason.OWNER_LOST) : Optional.empty();
            case RecoveryPolicy.Rerunnable rerunnable ->
                process.attempts() >= rerunnable.attempts()
                        ? Optional.of(AbandonReason.ATTEMPTS_EXHAUSTED)
                        : Optional.empty();
            case RecoveryPolicy.Retrying retrying ->
                process.attempts() > retrying.times()
                        ? Optional.of(AbandonReason.ATTEMPTS_EXHAUSTED)
                        : Optional.empty();
            case RecoveryPolicy.ExternallyOwned _ ->
                throw new IllegalStateException("a store offered " + process.id() + ", which is driven from outside");
        };
    }

    /** Returns the pause before a process is tried again whose driver has failed; empty if it has failed with it. */
    public static Optional<Duration> pauseAfterFailure(ProcessHead process) {
        return process.recovery() instanceof RecoveryPolicy.Retrying retrying && process.attempts() <= retrying.times()
                ? Optional.of(retrying.backoff().pause(process.attempts()))
                : Optional.empty();
    }

    /** Returns the owner of a lease that ran out and is still recorded. */
    public static Optional<String> lostOwner(ProcessHead process, StoreTime now) {
        return process.lease().filter(row -> !row.isLive(now)).map(LeaseRow::owner);
    }
}
