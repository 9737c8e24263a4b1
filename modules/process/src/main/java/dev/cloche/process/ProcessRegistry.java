package dev.cloche.process;

import dev.cloche.base.Deadline;
import dev.cloche.process.registry.StoredProcessRegistry;
import dev.cloche.process.store.ProcessStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Keeps processes durably: pieces of work that outlive the program which started them, each with a log of events, one owner
 * at a time, and one end for all readers.
 *
 * <p>What a call that writes has returned from is on the disk, if the store is {@link Durability#DURABLE}. A call that fails
 * has written nothing, but for {@link ProcessException.StoreFailed}, after which it is not known whether it has; every write
 * can be repeated without harm (an append, if it has a replay key). A failure of the store is always an error and never
 * looks like something that does not exist.
 *
 * <p>All calls throw {@link ProcessException.Unknown} for a process that is not registered, but for {@link #get}. Calls
 * block. Safe for use from many threads; virtual threads are welcome.
 */
@SuppressWarnings("exports") // Stores are made by their own classes.
public interface ProcessRegistry extends ProcessEvents, ProcessLeases, ProcessGrants, AutoCloseable {
    /** The most entries that one read returns. */
    int LARGEST_PAGE = 10_000;

    /** How many pruned ids are remembered, unless it is said otherwise. */
    int REMEMBERED = 10_000;

    /** Returns a registry over a store, which is closed with it. */
    static ProcessRegistry over(ProcessStore store) {
        return over(store, REMEMBERED);
    }

    /**
     * Returns a registry over a store, which is closed with it.
     *
     * @param remembered how many ids that were pruned latest are remembered: with a tombstone, which says when, and with
     *     their entry in the feed. From 1. Fences, sequences and wakes of an id never come twice, however few there are
     */
    static ProcessRegistry over(ProcessStore store, int remembered) {
        if (remembered < 1) {
            throw new ProcessException.Invalid("a registry remembers at least one pruned id, not " + remembered);
        }
        return new StoredProcessRegistry(store, remembered);
    }

    /**
     * Records a new process as running. Repeating a registration finds the process, unchanged, also after its end.
     *
     * @throws ProcessException.RegistrationConflict if the id is taken by another registration
     * @throws ProcessException.Invalid if an event type's schema cannot be used
     * @throws ProcessException.SchemasMissing if an event type has a schema, and the artefact {@code cloche-schema} is absent
     */
    ProcessRecord register(ProcessRegistration registration);

    /**
     * Records a new process as running and takes its lease, in one transaction, so that no worker can take it in between.
     * Repeating it finds the process, as {@link #register} does, and claims it, as {@link #claim} does.
     *
     * @param ttl from 1 ms to {@link #LONGEST_LEASE}
     * @return the process as it is with the lease
     * @throws ProcessException.RegistrationConflict if the id is taken by another registration
     * @throws ProcessException.AlreadyLeased if the process is there and another owner holds its lease
     * @throws ProcessException.Invalid if an event type's schema cannot be used
     * @throws ProcessException.SchemasMissing if an event type has a schema, and the artefact {@code cloche-schema} is absent
     */
    Claim registerClaimed(ProcessRegistration registration, String owner, Duration ttl);

    /** Returns the process of that id, if there is one. */
    Optional<ProcessRecord> get(String id);

    /** Returns a page of processes in the order of their ids, by code points. */
    List<ProcessRecord> list(ProcessQuery query);

    /** Returns a page of processes as of this moment, in the order of their ids: who drives them, and what they wait for. */
    List<ProcessView> views(ProcessQuery query);

    /** Returns how many processes there are by type of input and status, in this order; of all pages of a query. */
    List<ProcessCount> counts(ProcessQuery query);

    /** Returns the process of that id as of this moment, if there is one. */
    Optional<ProcessView> view(String id);

    /** Returns a page of the processes that run, in the order of their ids. */
    default List<ProcessRecord> listNonTerminal(Optional<String> after, int limit) {
        return list(new ProcessQuery(true, after, limit));
    }

    /** Says what the process is called elsewhere, in the place of what was said before; also after its end. */
    ProcessRecord setExternalRef(String id, ExternalRef ref);

    /**
     * Ends a process by the core event of the output's kind. The same output again finds the first.
     *
     * @throws ProcessException.ReplayConflict if it ended in the same way with another output
     * @throws ProcessException.AlreadyTerminal if it ended in another way
     * @throws ProcessException.LeaseRequired if it ends with a lease only
     */
    AppendResult complete(String id, AwaitOutput output);

    /**
     * Asks the driver of a process to end it, by an event of type {@value EventType#CANCEL_REQUESTED} with the payload
     * {@code {"reason": …}}. There is one such request: a second call finds the first, also with another reason.
     *
     * @throws ProcessException.AlreadyTerminal if it has ended without such a request
     */
    AppendResult cancel(String id, String reason);

    /**
     * Waits for the end of a process.
     *
     * @return how it ended, at once if it has
     * @throws ProcessException.TimedOut if it has not by then
     * @throws ProcessException.Interrupted if this thread is interrupted
     */
    AwaitOutput awaitProcess(String id, Deadline deadline);

    /**
     * Returns what was committed after a point of the feed, in an order that is the same for all readers and that agrees
     * with each process's own. A reader that goes on where the last page ended misses nothing of the processes that are
     * there: of each the feed has all events and the latest entry of every other kind. Of one that was pruned it has that
     * alone, for those who may have seen it before.
     *
     * @param after {@link ChangePage#next} of an earlier page; empty for the beginning
     * @throws ProcessException.Invalid if it is no point of this store's feed
     * @throws ProcessException.FeedForgotten if prunes behind it are forgotten; the reader lists the processes anew and
     *     begins at the beginning
     */
    ChangePage changes(Optional<String> after, int limit);

    /**
     * Forgets ended processes with their events, handles and acknowledged wakes. If an id is registered anew, its fences
     * and the sequences of its events go on rising. Those with a live lease or an undelivered wake are left alone. Not one
     * transaction: what was pruned before a failure stays pruned.
     *
     * @return the ids of what was pruned
     */
    List<String> prune(ProcessPruneRequest request);

    /** Returns the ids of what {@link #prune} would forget now, in their order. Forgets nothing. */
    List<String> prunePlan(ProcessPruneRequest request);

    /** Returns what an acknowledged write is worth. */
    Durability durability();

    /** Ends the waits of other threads with {@link ProcessException.Closed}. Closing twice does nothing. */
    @Override
    void close();
}
