package dev.cloche.process.postgres;

import dev.cloche.process.ProcessPruneRequest;
import dev.cloche.process.ProcessStatus;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.Tombstone;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Finds what prunes may remove and writes what they leave behind, in one transaction. */
record PostgresPrunes(Statements statements) {
    /** Locks those of the request that nothing keeps, by id; without those that others have locked. */
    List<ProcessHead> lockOffered(long now, ProcessPruneRequest request, Optional<String> after, int limit) {
        String types = request.inputTypes().isEmpty() ? "" : " AND p.input_type = ANY (?)";
        String ungranted =
                request.granted() ? "" : " AND NOT EXISTS (SELECT FROM process_grant g WHERE g.process_key = p.key)";
        List<Object> parameters = new ArrayList<>(List.of(after.orElse(""), oldest(now, request), statuses(request)));
        if (!request.inputTypes().isEmpty()) {
            parameters.add(request.inputTypes());
        }
        parameters.add(limit);
        return PostgresReads.sql(() -> statements.list(
                PostgresRows::head,
                "SELECT " + PostgresRows.HEAD + " FROM process p"
                        + " WHERE p.id > ? AND p.updated_ms <= ? AND p.status = ANY (?)" + types
                        + " AND NOT EXISTS (SELECT FROM process_wake w"
                        + " WHERE w.process_key = p.key AND NOT w.acknowledged)" + ungranted
                        + " ORDER BY p.id LIMIT ? FOR UPDATE SKIP LOCKED",
                parameters.toArray()));
    }

    /** What was last touched after this is too young; after a step back of the clock nothing is too young for none. */
    private static long oldest(long now, ProcessPruneRequest request) {
        return request.unusedMillis() == 0 ? Long.MAX_VALUE : now - request.unusedMillis();
    }

    private static Collection<String> statuses(ProcessPruneRequest request) {
        return (request.statuses().isEmpty() ? List.of(ProcessStatus.values()) : request.statuses())
                .stream()
                        .filter(ProcessStatus::terminal)
                        .map(ProcessStatus::word)
                        .toList();
    }

    /** Removes a process, whose id is locked ({@link PostgresRegistrations#lockId}). */
    void bury(ProcessHead process, Tombstone tombstone) {
        for (String table : List.of("process_event", "process_wake", "process_grant")) {
            statements.later("DELETE FROM " + table + " WHERE process_key = ?", process.key());
        }
        statements.later("DELETE FROM process WHERE key = ?", process.key());
        statements.later("DELETE FROM process_change WHERE process_id = ? AND kind <> 'pruned'", process.id());
        statements.later(
                "INSERT INTO process_tombstone (id, fence, last_sequence, pruned_ms) VALUES (?, ?, ?, ?)"
                        + " ON CONFLICT (id) DO UPDATE SET fence = excluded.fence,"
                        + " last_sequence = excluded.last_sequence, pruned_ms = excluded.pruned_ms",
                tombstone.id(),
                tombstone.fence(),
                tombstone.lastSequence(),
                tombstone.prunedAt().toEpochMilli());
    }

    void forget(int remembered) {
        // One program at a time, so that what one removes the other does not count.
        statements.later("SELECT FROM process_floor FOR UPDATE");
        new PostgresFeed(statements).forget(remembered);
        statements.later(
                "WITH oldest AS (SELECT t.pruned_ms, t.id FROM process_tombstone t"
                        + " ORDER BY t.pruned_ms DESC, t.id DESC LIMIT 1 OFFSET ?),"
                        + " gone AS (DELETE FROM process_tombstone t USING oldest"
                        + " WHERE (t.pruned_ms, t.id) <= (oldest.pruned_ms, oldest.id)"
                        + " RETURNING t.fence, " + PostgresReads.LAST_OF_TOMBSTONE + " AS sequence)"
                        + " UPDATE process_floor f SET"
                        + " fence = greatest(f.fence, (SELECT max(gone.fence) FROM gone)),"
                        + " sequence = greatest(f.sequence, (SELECT max(gone.sequence) FROM gone))",
                remembered);
    }
}
