package dev.cloche.process;

import java.time.Instant;
import java.util.Optional;

/** The decisions about what those see who look at a process: plain functions of rows and a moment. */
final class ViewRules {
    private ViewRules() {}

    /** A process as it is shown. */
    static ProcessView view(ProcessSnapshot found, StoreTime now) {
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
        if (process.recovery() instanceof Recovery.ExternallyOwned) {
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
