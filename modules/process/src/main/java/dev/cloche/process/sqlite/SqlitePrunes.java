package dev.cloche.process.sqlite;

import dev.cloche.process.ProcessPruneRequest;
import dev.cloche.process.ProcessStatus;
import dev.cloche.process.store.ProcessHead;
import dev.cloche.process.store.StoreTime;
import dev.cloche.process.store.Tombstone;
import java.util.List;
import java.util.Optional;

/** Finds what prunes may remove and writes what they leave behind, in one transaction. */
record SqlitePrunes(SqlStatements sql) {
    /** Returns those of the request that nothing keeps, by id. */
    List<ProcessHead> offered(StoreTime now, ProcessPruneRequest request, Optional<String> after, int limit) {
        return sql.list(
                SqliteRows::head,
                SqliteRows.HEAD + """
                        WHERE p.status <> 'running' AND p.id > ?
                          AND CASE WHEN p.idle_epoch = ? THEN ? - p.idle_since ELSE max(0, ? - p.updated_at) END >= ?
                          AND (? OR p.status IN (SELECT value FROM json_each(?)))
                          AND (? OR p.input_type IN (SELECT value FROM json_each(?)))
                          AND (? OR NOT EXISTS (SELECT 1 FROM process_grant g WHERE g.process = p.key))
                          AND NOT EXISTS (SELECT 1 FROM process_wake w WHERE w.process = p.key AND w.acknowledged = 0)
                        ORDER BY p.id LIMIT ?
                        """,
                after.orElse(""),
                now.epoch(),
                now.ticks(),
                now.wall().toEpochMilli(),
                request.unusedMillis(),
                flag(request.statuses().isEmpty()),
                SqliteReads.array(
                        request.statuses().stream().map(ProcessStatus::word).toList()),
                flag(request.inputTypes().isEmpty()),
                SqliteReads.array(request.inputTypes()),
                flag(request.granted()),
                limit);
    }

    private static int flag(boolean value) {
        return value ? 1 : 0;
    }

    /** Its events leave the feed with it. The change that says so is there already, so none of them was its last entry. */
    void bury(ProcessHead process, Tombstone tombstone) {
        sql.update("DELETE FROM process WHERE key = ?", process.key());
        sql.update("DELETE FROM process_change WHERE process_id = ? AND kind <> 'PRUNED'", process.id());
        sql.update(
                """
                INSERT INTO process_tombstone (id, fence, last_sequence, pruned_at) VALUES (?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET fence = excluded.fence, last_sequence = excluded.last_sequence,
                                               pruned_at = excluded.pruned_at
                """,
                tombstone.id(),
                tombstone.fence(),
                tombstone.lastSequence(),
                tombstone.prunedAt().toEpochMilli());
    }

    /** Forgets the oldest tombstones until so many are left, which raises the floor. */
    void forgetTombstones(int remembered) {
        record Age(long prunedAt, String id) {}
        Optional<Age> oldest = sql.first(
                row -> new Age(row.getLong("pruned_at"), row.getString("id")),
                "SELECT pruned_at, id FROM process_tombstone ORDER BY pruned_at DESC, id DESC LIMIT 1 OFFSET ?",
                remembered);
        if (oldest.isPresent()) {
            String old = " FROM process_tombstone WHERE (pruned_at, id) <= (?, ?)";
            long at = oldest.get().prunedAt();
            String id = oldest.get().id();
            sql.update(
                    "UPDATE process_floor SET fence = max(fence, (SELECT max(fence)" + old + ")),"
                            + " sequence = max(sequence, (SELECT max(coalesce(last_sequence, " + SqliteFeed.LAST + "))"
                            + old
                            + "))",
                    at,
                    id,
                    at,
                    id);
            sql.update("DELETE" + old, at, id);
        }
    }
}
