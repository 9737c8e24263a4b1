package dev.cloche.process.store;

import dev.cloche.process.ChangePage;
import dev.cloche.process.Grant;
import dev.cloche.process.GrantedProcess;
import dev.cloche.process.ProcessCount;
import dev.cloche.process.ProcessEvent;
import dev.cloche.process.ProcessException;
import dev.cloche.process.ProcessQuery;
import dev.cloche.process.ProcessRecord;
import dev.cloche.process.SessionScope;
import dev.cloche.process.WakeDelivery;
import dev.cloche.process.WakeEvent;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The primitive reads of a {@link ProcessStore}. Valid in the transaction that received it, in that thread. */
public interface StoreReads {
    /** Returns the time of the transaction, by the store's one authority. The same for all calls within one. */
    StoreTime now();

    /** Returns the head of a process. */
    Optional<ProcessHead> head(String id);

    /** The whole of a process. */
    Optional<ProcessRecord> record(String id);

    /** Returns a process with all that belongs to it but its events. */
    Optional<ProcessSnapshot> snapshot(String id);

    /** Returns a page of processes, by id in the order of code points; by status, type, age and id alone. */
    List<ProcessSnapshot> snapshots(ProcessQuery query);

    /** Returns how many there are by type and status, in this order; of all pages, and by status, type and age alone. */
    List<ProcessCount> counts(ProcessQuery query);

    /** Returns what stays of a pruned process, if it was one of the latest. */
    Optional<Tombstone> tombstone(String id);

    /** Returns what stays of all that were pruned before those. */
    PruneFloor floor();

    /** Returns the event with a replay key. */
    Optional<ProcessEvent> eventOfReplayKey(ProcessHead process, String replayKey);

    /** Returns the first event of a type after a sequence. */
    Optional<ProcessEvent> firstEvent(ProcessHead process, String type, long afterSequence);

    /** Events after a sequence, ascending. */
    List<ProcessEvent> events(ProcessHead process, long afterSequence, int limit);

    /** Returns the wake of an event, acknowledged or not; none if it was deleted with its session. */
    Optional<WakeDelivery> wake(ProcessHead process, long sequence);

    /** Events after a sequence that have a wake which is not acknowledged, ascending. */
    List<WakeEvent> wakeEvents(ProcessHead process, long afterSequence, int limit);

    /** Wakes of a session's scopes that are not acknowledged, by process id (code points) and sequence. */
    List<WakeDelivery> pendingWakes(String session, Optional<WakeDelivery> after, int limit);

    /** Returns the handle of a scope to a process. */
    Optional<Grant> grant(SessionScope scope, ProcessHead process);

    /** Returns the handles of a scope with their processes, by process id (code points). */
    List<GrantedProcess> grants(SessionScope scope, boolean runningOnly, Optional<String> after, int limit);

    /** Returns the handles to a process, by session and then {@link SessionScope#key} (code points). */
    List<Grant> grantsOf(ProcessHead process);

    /** Returns the heads of those processes that exist, in any order. */
    List<ProcessHead> heads(Collection<String> ids);

    /**
     * Returns when the first of the processes that {@link StoreTransaction#lockClaimable} looks through can be had: now if
     * one can be had already, else the ticks at which the first lease or pause of this epoch ends. Empty if there are none.
     * Reads a few rows, however many there are.
     */
    Optional<Long> claimableAt(String inputType, Set<String> hostProfiles);

    /** Returns those processes that any session has a handle to. */
    Set<String> granted(Collection<String> ids);

    /**
     * Returns a page of the feed of {@link StoreTransaction#change}, from the beginning if {@code after} is empty; a reader
     * that begins there is told of no prune from before. All that is committed later comes after {@link ChangePage#next}.
     *
     * @throws ProcessException.Invalid if {@code after} is none of its cursors
     * @throws ProcessException.FeedForgotten if there were prunes behind {@code after} that are forgotten
     */
    ChangePage changes(Optional<String> after, int limit);
}
