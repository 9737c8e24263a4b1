package dev.cloche.process;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The feed of the SQLite tables: events, whose keys are their positions, and in {@code process_change} everything else. What
 * is the last of both is never deleted, so positions are not used twice. Valid in one transaction; one that writes has the
 * only lock for it, so it counts on by itself.
 */
final class SqliteFeed {
    private final Sql sql;
    private OptionalLong taken = OptionalLong.empty();

    SqliteFeed(Sql sql) {
        this.sql = sql;
    }

    /** Of what is recorded; 0 before the first change. */
    long lastPosition() {
        return sql.first(row -> row.getLong(1), """
                        SELECT max(coalesce((SELECT max(position) FROM process_change), 0),
                                   coalesce((SELECT max(key) FROM process_event), 0))
                        """).orElseThrow();
    }

    /** The one after the last, for whoever records something there at once. */
    long nextPosition() {
        long next = (taken.isPresent() ? taken.getAsLong() : lastPosition()) + 1;
        taken = OptionalLong.of(next);
        return next;
    }

    ChangePage page(Optional<String> after, int limit) {
        long from = after.map(FeedPositions::parse).orElse(0L);
        if (from > lastPosition()) {
            throw FeedPositions.unknown(after.orElse(""));
        }
        record Numbered(long position, Change change) {}
        // Both sides are read by their keys, in order, and merged: a page costs what is on it.
        List<Numbered> page =
                sql.list(row -> new Numbered(row.getLong("position"), SqliteRows.change(row)), """
                SELECT position, process_id, kind, 0 AS sequence, NULL AS event_type FROM process_change WHERE position > ?
                UNION ALL
                SELECT e.key, p.id, 'EVENT', e.sequence, e.type
                FROM process_event e CROSS JOIN process p ON p.key = e.process WHERE e.key > ?
                ORDER BY position LIMIT ?
                """, from, from, limit);
        List<Change> changes = new ArrayList<>();
        page.forEach(numbered -> changes.add(numbered.change()));
        return new ChangePage(
                changes,
                FeedPositions.format(page.isEmpty() ? from : page.getLast().position()));
    }
}
