package dev.cloche.process.postgres;

import dev.cloche.process.ProcessEvent;
import dev.cloche.process.WakeDelivery;
import dev.cloche.process.store.ProcessHead;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The events of one process that have one of the replay keys which a transaction will ask for, with their wakes: read in the
 * round trip that locks the process, instead of in one for each key, and kept up to date with what the transaction itself
 * inserts. For one thread.
 */
final class ReplayKeyLookup {
    private static final String OF_KEYS =
            " WHERE e.process_key = (SELECT key FROM process WHERE id = ?)" + " AND e.replay_key = ANY (?)";
    private static final String EVENTS = "SELECT " + PostgresRows.EVENT + " FROM process_event e" + OF_KEYS;
    private static final String WAKES = "SELECT " + PostgresRows.WAKE
            + " FROM process_wake w JOIN process_event e USING (process_key, sequence)" + OF_KEYS;

    private final Set<String> keys;
    private final Map<String, ProcessEvent> events = new HashMap<>();
    private final Map<Long, Optional<WakeDelivery>> wakes = new HashMap<>();
    private Optional<String> processId = Optional.empty();

    ReplayKeyLookup(Set<String> keys) {
        this.keys = Set.copyOf(keys);
    }

    /** Reads them with the statement that is run next, behind those that wait: as of after the wait for the lock. */
    void readAlongside(Statements statements, String id) {
        if (keys.isEmpty()) {
            return;
        }
        forget();
        processId = Optional.of(id);
        var _ = statements.alongside(row -> keep(PostgresRows.event(id, row)), EVENTS, id, keys);
        var _ = statements.alongside(row -> keep(PostgresRows.wake(row)), WAKES, id, keys);
    }

    private ProcessEvent keep(ProcessEvent event) {
        event.replayKey().ifPresent(key -> {
            events.put(key, event);
            wakes.put(event.sequence(), Optional.empty());
        });
        return event;
    }

    private WakeDelivery keep(WakeDelivery wake) {
        wakes.replace(wake.sequence(), Optional.of(wake));
        return wake;
    }

    /** Returns whether it is known here which event has the key, if there is one. */
    boolean covers(ProcessHead process, String replayKey) {
        return isOf(process.id()) && keys.contains(replayKey);
    }

    Optional<ProcessEvent> event(String replayKey) {
        return Optional.ofNullable(events.get(replayKey));
    }

    /** Returns whether it is known here which wake the event of the sequence has, if it has one. */
    boolean covers(ProcessHead process, long sequence) {
        return isOf(process.id()) && wakes.containsKey(sequence);
    }

    Optional<WakeDelivery> wake(long sequence) {
        return wakes.getOrDefault(sequence, Optional.empty());
    }

    /** Comes before the event's wake, if it has one. */
    void inserted(ProcessEvent event) {
        if (isOf(event.processId()) && event.replayKey().filter(keys::contains).isPresent()) {
            keep(event);
        }
    }

    void inserted(WakeDelivery wake) {
        if (isOf(wake.processId())) {
            keep(wake);
        }
    }

    /** From here on the database is asked. */
    void forget() {
        processId = Optional.empty();
        events.clear();
        wakes.clear();
    }

    private boolean isOf(String id) {
        return processId.equals(Optional.of(id));
    }
}
