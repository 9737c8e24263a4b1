package dev.cloche.sandbox.record;

import dev.cloche.catalog.CatalogTransaction;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/**
 * Reads and writes when runs end by their limit. It is told in the time since the host's boot, which no VM outlives; of a
 * suspended run {@link SuspensionRows} has what is left.
 */
final class DeadlineRows {
    /** Counts only for the guard that was told of it. */
    static final String VALID = "CASE WHEN r.deadline_guard IS r.guard_start_time THEN r.deadline END";

    /**
     * Is what is left, in milliseconds; of a run that an earlier version started, by the wall clock. Its parameters are the time
     * since the boot and the time since 1970.
     */
    static final String LEFT = "coalesce(" + VALID + " - ?,"
            + " coalesce(u.time_left, s.max_duration) - (? - coalesce(u.resumed_at, r.started_at)))";

    private DeadlineRows() {}

    /** Returns how long a run may go on, which may have passed; empty if it has no limit or has ended. */
    static Optional<Duration> left(CatalogTransaction transaction, long sandbox, Duration sinceBoot, long now)
            throws SQLException {
        return transaction
                .first(
                        row -> SandboxRows.duration(row, "time_left"),
                        """
                        SELECT %s AS time_left
                        FROM run r JOIN sandbox s ON s.id = r.sandbox_id LEFT JOIN run_suspension u ON u.run_id = r.id
                        WHERE r.sandbox_id = ? AND r.status = 'RUNNING'
                        """.formatted(LEFT),
                        sinceBoot.toMillis(),
                        now,
                        sandbox)
                .flatMap(left -> left);
    }

    /** Records when the run that goes on is ended, once its guard is recorded; empty for never. */
    static void set(CatalogTransaction transaction, long sandbox, Optional<Duration> deadline) throws SQLException {
        transaction.update("""
                UPDATE run SET deadline = ?, deadline_guard = guard_start_time
                WHERE sandbox_id = ? AND status = 'RUNNING'
                """, SandboxRows.millis(deadline), sandbox);
    }
}
