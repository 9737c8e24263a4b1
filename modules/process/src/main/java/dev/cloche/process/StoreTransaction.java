package dev.cloche.process;

import java.util.List;
import java.util.Optional;

/** The primitive writes of a {@link ProcessStore}. Valid in the work that received it, in that thread. */
public interface StoreTransaction extends StoreReads {
    /** The head of a process, which no other transaction changes until this one has ended. */
    Optional<ProcessHead> lock(String id);

    /**
     * Inserts a running process without events and leases.
     *
     * @param fence where its fences begin
     * @return false if the id is taken; nothing was written then, and {@link #record} has the winner
     */
    boolean insertProcess(ProcessRegistration registration, String hash, long fence);

    /** Replaces the external reference and sets the time of the last update to now. */
    void setExternalRef(ProcessHead process, ExternalRef ref);

    /** Inserts an event, and makes its sequence the process's last and its time that of the last update. */
    void insertEvent(ProcessHead process, ProcessEvent event);

    /** Records how a process ended. */
    void end(ProcessHead process, AwaitOutput output);

    /** Records or takes away the lease, and with it the fence and the attempts. */
    void setLease(ProcessHead process, Optional<LeaseRow> lease, long fence, int attempts);

    /** Puts a wake into the outbox. */
    void insertWake(ProcessHead process, WakeDelivery wake);

    /** Marks a wake as delivered; nothing if there is none. */
    void ackWake(ProcessHead process, long sequence);

    /** Inserts or replaces a handle. */
    void putGrant(ProcessHead process, Grant grant);

    /** Removes a handle; nothing if there is none. */
    void deleteGrant(ProcessHead process, SessionScope scope);

    /** Removes the handles of all scopes of a session and returns them. */
    List<Grant> deleteGrantsOfSession(String session);

    /** Removes the wakes of all scopes of a session that are not acknowledged, and returns how many there were. */
    int deleteWakesOfSession(String session);

    /**
     * Locks running processes whose recovery is not {@link Recovery.ExternallyOwned} and that have no live lease: either
     * none, or one of another epoch, or that has expired, or that expires further ahead than
     * {@link LeaseRules#LONGEST_MILLIS}. First those that lost an owner. Processes that other transactions have locked
     * may be left out. Reads no row of processes with a live lease.
     */
    List<ProcessHead> lockClaimable(String inputType, int limit);

    /**
     * Locks ended processes to be pruned: those of the request that have no wake in the outbox that is not acknowledged,
     * and no handle unless it asks for these too. By id.
     *
     * @param after ids greater than this one
     */
    List<ProcessHead> lockPrunable(PruneRequest request, Optional<String> after, int limit);

    /**
     * Removes a process with its events, wakes and handles, and inserts or replaces the tombstone of its id. What the feed
     * has of its events may go too. Called after the {@link #change} that says so.
     */
    void bury(ProcessHead process, Tombstone tombstone);

    /** Adds to the feed, and to what the listener is told after the commit. */
    void change(Change change);
}
