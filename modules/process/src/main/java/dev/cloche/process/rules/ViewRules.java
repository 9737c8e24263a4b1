package dev.cloche.process.rules;

import dev.cloche.process.ProcessPhase;
import dev.cloche.process.ProcessView;
import dev.cloche.process.RecoveryPolicy;
import dev.cloche.process.store.LeaseRow;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.ProcessSnapshot;
import dev.cloche.process.store.StoreTime;
import java.time.Instant;
import java.util.Optional;

/** Decides what is shown of a process: plain functions of rows and a moment. */
public final class ViewRules {
    private ViewRules() {}

    /** Returns a process as it is shown. */
    public static ProcessView view(ProcessSnapshot found, StoreTime now) {
        ProcessHead head = found.head();
        ProcessPhase phase = phase(head, now);
        Optional<LeaseRow> live = head.lease().filter(lease -> lease.isLive(now));
        return new ProcessView(
                found.record(),
                phase,
                found.startedAt(),
                live.map(lease -> new ProcessView.Holder(
                        lease.owner(), lease.fence(), lease.claimedAt(), at(lease.expiresTicks(), now))),
                head.pause().filter(_ -> phase == ProcessPhase.PAUSED).map(pause -> at(pause.untilTicks(), now)),
                found.returnedFor(),
                phase == ProcessPhase.LOST ? head.lease().map(LeaseRow::owner) : found.lostOwner());
    }

    private static ProcessPhase phase(ProcessHead process, StoreTime now) {
        if (process.status().terminal()) {
            return ProcessPhase.ENDED;
        }
        if (process.lease().filter(lease -> lease.isLive(now)).isPresent()) {
            return ProcessPhase.DRIVEN;
        }
        if (process.recovery() instanceof RecoveryPolicy.ExternallyOwned) {
            return ProcessPhase.EXTERNAL;
        }
        if (process.lease().isPresent()) {
            return ProcessPhase.LOST;
        }
        return process.pause().filter(pause -> pause.isLive(now)).isPresent()
                ? ProcessPhase.PAUSED
                : ProcessPhase.CLAIMABLE;
    }

    private static Instant at(long ticks, StoreTime now) {
        return now.wall().plusMillis(ticks - now.ticks());
    }
}
