package dev.cloche.process.store;

import dev.cloche.process.AwaitOutput;
import dev.cloche.process.Change;
import dev.cloche.process.ExternalRef;
import dev.cloche.process.Grant;
import dev.cloche.process.ProcessEvent;
import dev.cloche.process.ProcessPruneRequest;
import dev.cloche.process.ProcessRegistration;
import dev.cloche.process.RecoveryPolicy;
import dev.cloche.process.SessionScope;
import dev.cloche.process.WakeDelivery;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The primitive writes of a {@link ProcessStore}. Valid in the work that received it, in that thread. */
public interface StoreTransaction extends StoreReads {
    /** Returns the head of a process, which no other transaction changes until this one has ended. */
    Optional<ProcessHead> lock(String id);

    /**
     * Inserts a running process without events and leases.
     *
     * @param fence where its fences begin
     * @param lastSequence behind which its events begin
     * @return false if the id is taken; nothing was written then, and {@link #record} has the winner
     */
    boolean insertProcess(ProcessRegistration registration, String hash, long fence, long lastSequence);

    /** Replaces the external reference and sets the time of the last update to now. */
    void setExternalRef(ProcessHead process, ExternalRef ref);

    /** Inserts an event, and makes its sequence the process's last and its time that of the last update. */
    void insertEvent(ProcessHead process, ProcessEvent event);

    /** Records how a process ended. */
    void end(ProcessHead process, AwaitOutput output);

    /** Records or takes away the lease, and with it the fence and the attempts. Ends a pause. */
    void setLease(ProcessHead process, Optional<LeaseRow> lease, long fence, int attempts);

    /**
     * Records a pause, or none, and how often in a row there was one. Comes after {@link #setLease}.
     *
     * @param why for those who look at it; what stood there stays if it is empty
     */
    void setPause(ProcessHead process, Optional<PauseRow> pause, int returns, Optional<String> why);

    /** Records who held the lease that ran out. */
    void setLost(ProcessHead process, String owner);

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
     * Locks running processes whose recovery is not {@link RecoveryPolicy.ExternallyOwned}, that have no live lease and no
     * pause that goes on: either none, or one of another epoch, or that is over, or that ends further ahead than {@link
     * StoreTime#LONGEST_MILLIS}. First those that lost an owner. Processes that other transactions have locked may be left out.
     * Reads no row of processes with a live lease or a pause.
     *
     * @param hostProfiles of which it is; empty for any
     */
    List<ProcessHead> lockClaimable(String inputType, Set<String> hostProfiles, int limit);

    /**
     * Locks ended processes to be pruned: those of the request that have no wake in the outbox that is not acknowledged,
     * and no handle unless it asks for these too. By id.
     *
     * @param after ids greater than this one
     */
    List<ProcessHead> lockPrunable(ProcessPruneRequest request, Optional<String> after, int limit);

    /**
     * Removes a process with its events, wakes, handles and entries of the feed, but for the {@link #change} before this
     * call that says so, and inserts or replaces the tombstone of its id.
     */
    void bury(ProcessHead process, Tombstone tombstone);

    /**
     * Forgets the oldest tombstones, which raises the {@link #floor}, and the oldest prunes of the feed, until so many of
     * each are left.
     */
    void forget(int remembered);

    /**
     * Adds to the feed, in the place of the process's entry of the same kind unless that is an event, and to what the
     * listener is told after the commit.
     */
    void change(Change change);
}
