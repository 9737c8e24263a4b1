package dev.cloche.process;

import dev.cloche.base.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * Gives out the leases that say who drives a process. Part of {@link ProcessRegistry}, where what holds for all calls
 * stands.
 */
public interface ProcessLeases {
    /** The longest time to live. What is recorded as further ahead counts as expired. */
    Duration LONGEST_LEASE = Duration.ofDays(1);

    /**
     * Takes the lease of a process, ended or not. An owner that holds it already gets a new token and a higher fence, which
     * shuts out the holder of the old one.
     *
     * @param ttl from 1 ms to {@link #LONGEST_LEASE}
     * @throws ProcessException.AlreadyLeased if another owner holds it
     */
    Lease claim(String id, String owner, Duration ttl);

    /**
     * Takes the free leases of running processes that may be driven by a worker (see {@link RecoveryPolicy}). Those that may
     * not be driven again are abandoned on the way. Writes nothing for what others hold.
     *
     * @return at most as many as asked for; empty if there is none now
     */
    List<Claim> claimNext(ClaimRequest request);

    /**
     * Waits until {@link #claimNext} may find something: until a process of these types is registered or given back, or the
     * first lease of those that run ends. At once if there is something already. A caller that is told may still find that
     * another was faster.
     *
     * @param inputTypes at least one
     * @return false if the deadline has passed before
     * @throws ProcessException.Interrupted if this thread is interrupted
     */
    default boolean awaitClaimable(Set<String> inputTypes, Deadline deadline) {
        return awaitClaimable(inputTypes, Set.of(), deadline);
    }

    /**
     * Waits as {@link #awaitClaimable(Set, Deadline)} does.
     *
     * @param hostProfiles of what kinds of host; empty for any
     */
    boolean awaitClaimable(Set<String> inputTypes, Set<String> hostProfiles, Deadline deadline);

    /**
     * Makes a lease last from now on for another while.
     *
     * @return with the same token and fence
     * @throws ProcessException.LeaseLost if it is not held any more, also if no other owner took it since it ran out
     */
    Lease renew(Lease lease, Duration ttl);

    /** Gives a lease back. Does nothing for one that is not held any more. */
    void release(Lease lease);

    /**
     * Gives a lease back, so that no worker is offered the process before a pause is over. The pause grows with each such
     * release in a row; an event that a holder appends begins the row anew. A claim by the id ends the pause.
     *
     * @param why for those who look at it; shortened to 1,000 characters
     */
    void release(Lease lease, Backoff pauses, String why);

    /**
     * Records that the attempt of the holder has failed, and gives its lease back. If the process is {@link
     * RecoveryPolicy.Retrying} and has attempts left, an event {@link EventType#ATTEMPT_FAILED} says so and workers are offered
     * it again after a pause; else it ends with the failure.
     *
     * @return whether it is tried again
     * @throws ProcessException.LeaseLost if it is not held any more, unless this was recorded before
     * @throws ProcessException as {@link ProcessRegistry#complete}
     */
    boolean attemptFailed(Lease lease, AwaitOutput.Failure failure);

    /**
     * Ends a process and gives its lease back, in one transaction.
     *
     * @throws ProcessException.LeaseLost if it is not held any more, unless the process has ended with this output
     * @throws ProcessException as {@link ProcessRegistry#complete}
     */
    AppendResult completeWithLease(Lease lease, AwaitOutput output);
}
