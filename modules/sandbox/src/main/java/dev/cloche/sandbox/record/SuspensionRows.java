package dev.cloche.sandbox.record;

import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.sandbox.SandboxStatus;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/**
 * Reads and writes which memory a run goes on from. A snapshot is ready and belongs to a run by one transaction, and is let go of
 * by one: so no run ever goes on twice from one memory.
 */
final class SuspensionRows {
    private static final String OF_RUNNING = "(SELECT id FROM run WHERE sandbox_id = ? AND status = 'RUNNING')";

    private SuspensionRows() {}

    /** Records that a sandbox goes on from a snapshot and from nothing else; false if its suspension is over. */
    static boolean keep(
            CatalogTransaction transaction,
            long sandbox,
            long snapshot,
            Duration pause,
            boolean renewed,
            Duration sinceBoot,
            long now)
            throws SQLException {
        if (!StatusRows.move(transaction, sandbox, SandboxStatus.SUSPENDING, SandboxStatus.SUSPENDED, now)) {
            return false;
        }
        transaction.update(
                """
                INSERT INTO run_suspension (run_id, snapshot_id, held, time_left)
                SELECT r.id, ?, 1, CASE WHEN ? THEN s.max_duration ELSE max(1, %s) END
                FROM run r JOIN sandbox s ON s.id = r.sandbox_id LEFT JOIN run_suspension u ON u.run_id = r.id
                WHERE r.sandbox_id = ? AND r.status = 'RUNNING'
                ON CONFLICT (run_id) DO UPDATE SET
                    snapshot_id = excluded.snapshot_id, held = 1, time_left = excluded.time_left, resumed_at = NULL
                """.formatted(DeadlineRows.LEFT),
                snapshot,
                SandboxRows.flag(renewed),
                sinceBoot.toMillis(),
                now,
                sandbox);
        DeadlineRows.set(transaction, sandbox, Optional.empty());
        return transaction.update(
                        "UPDATE sandbox_snapshot SET status = 'READY', pause_nanos = ? WHERE id = ? AND status = 'TAKING'",
                        pause.toNanos(),
                        snapshot)
                == 1;
    }

    /** Records that it runs again, and lets go of the memory that it goes on from; false if it is not being resumed. */
    static boolean letGo(
            CatalogTransaction transaction,
            long sandbox,
            Optional<ProcessIdentity> guard,
            Optional<Duration> deadline,
            long now)
            throws SQLException {
        if (!StatusRows.move(transaction, sandbox, SandboxStatus.RESUMING, SandboxStatus.RUNNING, now)) {
            return false;
        }
        transaction.update("UPDATE run SET detached = 1 WHERE sandbox_id = ? AND status = 'RUNNING'", sandbox);
        transaction.update(
                "UPDATE run_suspension SET held = 0, resumed_at = ? WHERE run_id = " + OF_RUNNING, now, sandbox);
        RunRows.guarded(transaction, sandbox, guard);
        DeadlineRows.set(transaction, sandbox, deadline);
        return true;
    }

    /** Reads what a sandbox goes on from; empty if it is not suspended. */
    static Optional<Suspended> read(CatalogTransaction transaction, long sandbox) throws SQLException {
        return transaction.first(
                row -> new Suspended(row.getLong("snapshot_id"), SandboxRows.duration(row, "time_left")),
                "SELECT snapshot_id, time_left FROM run_suspension WHERE held = 1 AND run_id = " + OF_RUNNING,
                sandbox);
    }

    /** Reads which sandbox goes on, or went on last, from a snapshot. */
    static Optional<Long> sandboxOf(CatalogTransaction transaction, long snapshot) throws SQLException {
        return transaction.first(
                row -> row.getLong(1),
                "SELECT r.sandbox_id FROM run_suspension u JOIN run r ON r.id = u.run_id WHERE u.snapshot_id = ?",
                snapshot);
    }

    /** Lets go of the memory of runs that have ended: it is given up. */
    static void giveUp(CatalogTransaction transaction, long sandbox) throws SQLException {
        transaction.update("""
                UPDATE run_suspension SET held = 0
                WHERE held = 1 AND run_id IN (SELECT id FROM run WHERE sandbox_id = ? AND status = 'TERMINATED')
                """, sandbox);
    }
}
