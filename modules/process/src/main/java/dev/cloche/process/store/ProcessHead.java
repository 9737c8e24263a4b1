package dev.cloche.process.store;

import dev.cloche.process.ProcessStatus;
import dev.cloche.process.RecoveryPolicy;
import java.util.Optional;

/**
 * Says what every decision about a process needs, and nothing that is long.
 *
 * @param key the store's own number of the row
 * @param firstSequence of the first event that it has or will have: 1, or behind those of the id's earlier lives
 * @param lastSequence of its latest event; one less than the first before that
 * @param fence of the latest claim; 0 before the first, unless the id was pruned
 * @param pause during which no worker is offered it
 * @param returns how often in a row it was given back with a pause
 */
public record ProcessHead(
        long key,
        String id,
        String hash,
        ProcessStatus status,
        RecoveryPolicy recovery,
        boolean leaseRequired,
        long firstSequence,
        long lastSequence,
        long fence,
        int attempts,
        Optional<LeaseRow> lease,
        Optional<PauseRow> pause,
        int returns) {
    /** Returns it as it is after {@link StoreTransaction#setLease}. */
    public ProcessHead withLease(Optional<LeaseRow> other, long otherFence, int otherAttempts) {
        return new ProcessHead(
                key,
                id,
                hash,
                status,
                recovery,
                leaseRequired,
                firstSequence,
                lastSequence,
                otherFence,
                otherAttempts,
                other,
                Optional.empty(),
                returns);
    }

    /** Returns it as it is after {@link StoreTransaction#setPause}. */
    public ProcessHead withPause(Optional<PauseRow> other, int otherReturns) {
        return new ProcessHead(
                key,
                id,
                hash,
                status,
                recovery,
                leaseRequired,
                firstSequence,
                lastSequence,
                fence,
                attempts,
                lease,
                other,
                otherReturns);
    }

    /** Returns it as it is after {@link StoreTransaction#insertEvent}. */
    public ProcessHead withLastSequence(long sequence) {
        return new ProcessHead(
                key,
                id,
                hash,
                status,
                recovery,
                leaseRequired,
                firstSequence,
                sequence,
                fence,
                attempts,
                lease,
                pause,
                returns);
    }

    /** Returns it as it is after {@link StoreTransaction#end}. */
    public ProcessHead withStatus(ProcessStatus other) {
        return new ProcessHead(
                key,
                id,
                hash,
                other,
                recovery,
                leaseRequired,
                firstSequence,
                lastSequence,
                fence,
                attempts,
                lease,
                pause,
                returns);
    }
}
