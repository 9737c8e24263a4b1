package dev.cloche.process;

import dev.cloche.base.Deadline;
import java.util.List;
import java.util.Optional;

/**
 * Appends to and reads the logs of processes, and the wakes in them. Part of {@link ProcessRegistry}, where what holds for
 * all calls stands.
 */
public interface ProcessEvents {
    /**
     * Appends an event. Checked in this order: the replay key, which finds an earlier event of the same content; that
     * the type is declared; that a terminal event or a cancel request has a replay key; the schema; the semantics; that
     * the process has not ended, if the event would end it; the wake target.
     *
     * @throws ProcessException.ReplayConflict if the replay key is that of an event with another content
     * @throws ProcessException.UndeclaredType if the process does not declare the type
     * @throws ProcessException.ReplayKeyRequired if the type needs one
     * @throws ProcessException.PayloadInvalid if the payload breaks the type's schema
     * @throws ProcessException.SchemasMissing if the type has a schema, and the artefact {@code cloche-schema} is absent
     * @throws ProcessException.SemanticsFailed if a selector finds nothing, or an output contradicts the declared state
     * @throws ProcessException.AlreadyTerminal if it would end a process that has ended
     * @throws ProcessException.LeaseRequired if it would end a process that ends with a lease only
     * @throws ProcessException.WakeTargetMissing if its type wakes a session and it names none
     */
    AppendResult append(String id, EventAppend event);

    /**
     * Appends an event as the holder of a lease, and only as such: the lease is checked in the same transaction. A replay
     * finds the earlier event whether or not the lease is still held.
     *
     * @throws ProcessException.LeaseLost if it is not held any more
     * @throws ProcessException as {@link #append(String, EventAppend)}
     */
    AppendResult append(Lease lease, EventAppend event);

    /**
     * Returns a page of the events after one.
     *
     * @param sequence 0 for the beginning
     * @param limit from 1 to {@link ProcessRegistry#LARGEST_PAGE}
     */
    List<ProcessEvent> eventsAfter(String id, long sequence, int limit);

    /** Returns a page of the events after one which have a wake that is not acknowledged, as of one moment. */
    List<WakeEvent> wakeEventsAfter(String id, long sequence, int limit);

    /** Records that the wake of an event was delivered. Repeating it, or naming an event without a wake, does nothing. */
    void ackWake(String id, long sequence);

    /**
     * Returns a page of the wakes of a session, in all its frames, that are not acknowledged: for their delivery after a
     * crash. In the order of process ids and sequences.
     *
     * @param after the last of the page before
     */
    List<WakeDelivery> pendingWakes(String session, Optional<WakeDelivery> after, int limit);

    /**
     * Waits for the first event of a type after a sequence.
     *
     * @return that event, at once if it is there
     * @throws ProcessException.UndeclaredType if there will never be one
     * @throws ProcessException.TimedOut if there is none by then
     * @throws ProcessException.Interrupted if this thread is interrupted
     */
    ProcessEvent awaitEventAfter(String id, String type, long sequence, Deadline deadline);

    /**
     * Waits for any event after a sequence.
     *
     * @return a page of events, at once if there are some
     * @throws ProcessException.TimedOut if there are none by then
     * @throws ProcessException.Interrupted if this thread is interrupted
     */
    List<ProcessEvent> awaitEventsAfter(String id, long sequence, int limit, Deadline deadline);
}
