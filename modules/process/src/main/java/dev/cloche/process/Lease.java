package dev.cloche.process;

import java.time.Instant;

/**
 * Describes the right to drive a process, until it expires.
 *
 * @param token a secret of its holder, new with each claim
 * @param fence the fencing token: higher than that of every earlier claim of this process id, also of claims before the
 *     process was pruned and registered again
 * @param claimedAt by the store's wall clock, to be shown
 * @param expiresAt the same. Whether a lease is live is decided by the store's own clock, which no setting of the wall
 *     clock moves; a holder keeps count in its own monotonic time, from before its call
 */
public record Lease(String processId, String owner, String token, long fence, Instant claimedAt, Instant expiresAt) {
    /** Leaves the token out: it is a secret. */
    @Override
    public String toString() {
        return "Lease[" + processId + ", " + owner + ", fence " + fence + ", until " + expiresAt + "]";
    }
}
