package dev.cloche.process.sqlite;

import dev.cloche.process.Change;
import dev.cloche.process.ChangePage;
import dev.cloche.process.ProcessException;
import dev.cloche.process.store.FeedPositions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Reads and writes the feed of the SQLite tables: events, whose keys are their positions, and in {@code process_change} everything else. What
 * is the last of both is never deleted, so positions are not used twice. Valid in one transaction; one that writes has the
 * only lock for it, so it counts on by itself.
 */
public final class SqliteFeed {
    /** The position of the last entry, as an expression. */
    static final String LAST = "max(coalesce((SELECT max(position) FROM process_change), 0),"
            + " coalesce((SELECT max(key) FROM process_event), 0))";

    private final SqlStatements sql;
    private OptionalLong taken = OptionalLong.empty();

    public SqliteFeed(SqlStatements sql) {
        this.sql = sql;
    }

    /** Of what is recorded; 0 before the first change. */
    long lastPosition() {
        return sql.first(row -> row.getLong(1), "SELECT " + LAST).orElseThrow();
    }

    /** Returns the position after the last, for a caller that records something there at once. */
    long nextPosition() {
        long next = (taken.isPresent() ? taken.getAsLong() : lastPosition()) + 1;
        taken = OptionalLong.of(next);
        return next;
    }

    ChangePage page(Optional<String> after, int limit) {
        long last = lastPosition();
        FeedPositions from =
                after.map(cursor -> FeedPositions.parse(cursor, last)).orElseGet(() -> FeedPositions.beginning(last));
        if (after.isPresent() && from.isBelow(forgotten())) {
            throw new ProcessException.FeedForgotten();
        }
        record Numbered(long position, Change change) {}
        // Both sides are read by their keys, in order, and merged: a page costs what is on it.
        List<Numbered> page = sql.list(
                row -> new Numbered(row.getLong("position"), SqliteRows.change(row)),
                """
                SELECT position, process_id, kind, 0 AS sequence, NULL AS event_type FROM process_change
                WHERE position > ? AND (kind <> 'PRUNED' OR position > ?)
                UNION ALL
                SELECT e.key, p.id, 'EVENT', e.sequence, e.type
                FROM process_event e CROSS JOIN process p ON p.key = e.process WHERE e.key > ?
                ORDER BY position LIMIT ?
                """,
                from.position(),
                from.since(),
                from.position(),
                limit);
        List<Change> changes = new ArrayList<>();
        page.forEach(numbered -> changes.add(numbered.change()));
        long reached = page.isEmpty() ? from.position() : page.getLast().position();
        return new ChangePage(changes, from.after(reached, page.size() == limit).text());
    }

    /** All prunes up to this position have left the feed. */
    private long forgotten() {
        return sql.first(row -> row.getLong(1), "SELECT feed FROM process_floor")
                .orElse(0L);
    }

    /** Removes the oldest prunes until so many are left. The last entry of the feed is none of them. */
    void forget(int remembered) {
        sql.first(
                        row -> row.getLong(1),
                        "SELECT position FROM process_change WHERE kind = 'PRUNED' ORDER BY position DESC LIMIT 1 OFFSET ?",
                        remembered)
                .ifPresent(position -> {
                    sql.update("DELETE FROM process_change WHERE kind = 'PRUNED' AND position <= ?", position);
                    sql.update("UPDATE process_floor SET feed = ?", position);
                });
    }
}
