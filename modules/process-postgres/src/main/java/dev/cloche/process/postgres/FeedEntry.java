package dev.cloche.process.postgres;

import dev.cloche.process.Change;
import java.sql.SQLException;
import java.util.List;

/**
 * Describes one row of the change feed.
 *
 * @param settled whether no row can be added before it any more
 */
record FeedEntry(FeedPosition position, Change change, boolean settled) {
    /** Below the oldest transaction that runs as of this query; what is above it may still get neighbours. */
    private static final String SETTLED = "c.horizon < pg_snapshot_xmin(pg_current_snapshot())";

    /** @param since prunes up to here are left out */
    static List<FeedEntry> list(
            Statements statements, FeedPosition after, FeedPosition since, boolean settledOnly, int limit)
            throws SQLException {
        return statements.list(
                row -> new FeedEntry(
                        new FeedPosition(row.getString("horizon"), row.getLong("id")),
                        PostgresRows.change(row),
                        row.getBoolean("settled")),
                "SELECT c.horizon::text AS horizon, c.id, c.process_id, c.kind, c.sequence, c.event_type, " + SETTLED
                        + " AS settled FROM process_change c WHERE (c.horizon, c.id) > (CAST(? AS xid8), ?)"
                        + " AND (c.kind <> 'pruned' OR (c.horizon, c.id) > (CAST(? AS xid8), ?))"
                        + (settledOnly ? " AND " + SETTLED : "") + " ORDER BY c.horizon, c.id LIMIT ?",
                after.horizon(),
                after.id(),
                since.horizon(),
                since.id(),
                limit);
    }
}
