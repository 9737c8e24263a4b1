package dev.cloche.process.postgres;

import dev.cloche.process.ChangePage;
import dev.cloche.process.ProcessException;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Reads the feed, in one transaction. */
record PostgresFeed(Statements statements) {
    private static final String SETTLED_END = "SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon";

    ChangePage page(Optional<String> after, int limit) throws SQLException {
        FeedCursor from = after.isPresent()
                ? FeedCursor.parse(after.get())
                : new FeedCursor(FeedPosition.BEGINNING, Optional.of(settledEnd()));
        if (after.isPresent() && isForgotten(from.reached())) {
            throw new ProcessException.FeedForgotten();
        }
        List<FeedEntry> entries =
                FeedEntry.list(statements, from.position(), from.since().orElse(FeedPosition.BEGINNING), true, limit);
        FeedPosition last =
                entries.isEmpty() ? from.position() : entries.getLast().position();
        return new ChangePage(
                entries.stream().map(FeedEntry::change).toList(),
                from.after(last, entries.size() == limit).text());
    }

    private FeedPosition settledEnd() throws SQLException {
        return statements
                .first(row -> new FeedPosition(row.getString("horizon"), 0), SETTLED_END)
                .orElseThrow();
    }

    /** Returns whether prunes behind a point have left the feed. */
    boolean isForgotten(FeedPosition point) throws SQLException {
        return statements
                .first(
                        row -> row.getBoolean("forgotten"),
                        "SELECT (feed_horizon, feed_id) > (CAST(? AS xid8), ?) AS forgotten FROM process_floor",
                        point.horizon(),
                        point.id())
                .orElse(false);
    }

    /**
     * Removes the oldest prunes until so many are left, and of those alone that are settled: behind the last of them no
     * entry can come to be that its readers would take for an earlier one.
     */
    void forget(int remembered) {
        statements.later("""
                WITH last AS (
                    SELECT c.horizon, c.id FROM process_change c
                    WHERE c.kind = 'pruned' AND c.horizon < pg_snapshot_xmin(pg_current_snapshot())
                    ORDER BY c.horizon DESC, c.id DESC LIMIT 1 OFFSET ?
                ), gone AS (
                    DELETE FROM process_change c USING last
                    WHERE c.kind = 'pruned' AND (c.horizon, c.id) <= (last.horizon, last.id)
                )
                UPDATE process_floor f SET feed_horizon = last.horizon, feed_id = last.id FROM last
                WHERE (last.horizon, last.id) > (f.feed_horizon, f.feed_id)
                """, remembered);
    }
}
