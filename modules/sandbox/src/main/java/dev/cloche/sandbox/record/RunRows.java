package dev.cloche.sandbox.record;

import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.sandbox.RunRecord;
import dev.cloche.sandbox.SandboxEvent;
import dev.cloche.sandbox.TerminationReason;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/** Reads and changes the rows of runs between their beginning ({@link NewRows}) and their end ({@link EndRows}). */
final class RunRows {
    private RunRows() {}

    /** Returns all runs of a sandbox that are kept, the latest first. */
    static List<RunRecord> read(CatalogTransaction transaction, long sandbox) throws SQLException {
        return transaction.list(
                SandboxRows::run,
                "SELECT r.id AS run_id, r.status AS run_status, r.* FROM run r WHERE r.sandbox_id = ? ORDER BY r.id DESC",
                sandbox);
    }

    /** Records that its guest has answered. */
    static void ready(CatalogTransaction transaction, long sandbox, Optional<ProcessIdentity> guard, long now)
            throws SQLException {
        transaction.update(
                """
                UPDATE run SET guard_pid = ?, guard_start_time = ?, guard_boot_id = ?, ready_at = ?
                WHERE sandbox_id = ? AND status = 'RUNNING'
                """,
                guard.map(ProcessIdentity::pid),
                guard.map(ProcessIdentity::startTime),
                guard.map(ProcessIdentity::bootId),
                now,
                sandbox);
    }

    /** Records its guard, which is another one after it was resumed. */
    static void guarded(CatalogTransaction transaction, long sandbox, Optional<ProcessIdentity> guard)
            throws SQLException {
        transaction.update(
                """
                UPDATE run SET guard_pid = ?, guard_start_time = ?, guard_boot_id = ?
                WHERE sandbox_id = ? AND status = 'RUNNING'
                """,
                guard.map(ProcessIdentity::pid),
                guard.map(ProcessIdentity::startTime),
                guard.map(ProcessIdentity::bootId),
                sandbox);
    }

    /** Records that its end was asked for; false if it has ended. */
    static boolean ask(CatalogTransaction transaction, long sandbox, TerminationReason reason) throws SQLException {
        return transaction.update(
                        "UPDATE run SET asked = ? WHERE sandbox_id = ? AND status = 'RUNNING'", reason.name(), sandbox)
                == 1;
    }

    /**
     * Marks the end of the latest run, which was not asked for, as accepted by a caller that knows its restart policy.
     */
    static void giveUp(CatalogTransaction transaction, long sandbox) throws SQLException {
        transaction.update("""
                UPDATE run SET asked = 'SHUTDOWN_REQUESTED'
                WHERE id = (SELECT max(id) FROM run WHERE sandbox_id = ?) AND status = 'TERMINATED' AND asked IS NULL
                  AND EXISTS (SELECT 1 FROM sandbox WHERE id = ? AND restart <> 'NO')
                """, sandbox, sandbox);
    }

    /** Records that it outlives the process that started it; false if it has ended. */
    static boolean detach(CatalogTransaction transaction, long sandbox, long now) throws SQLException {
        boolean runs =
                transaction.update("UPDATE run SET detached = 1 WHERE sandbox_id = ? AND status = 'RUNNING'", sandbox)
                        == 1;
        if (runs) {
            EventRows.append(transaction, sandbox, SandboxEvent.Kind.DETACHED, now);
        }
        return runs;
    }

    /** Records that a process has taken it over; false if it has ended. */
    static boolean adopt(CatalogTransaction transaction, long sandbox, long run, ProcessIdentity owner, long now)
            throws SQLException {
        boolean runs = transaction.update("""
                        UPDATE run SET owner_pid = ?, owner_start_time = ?, owner_boot_id = ?
                        WHERE id = ? AND sandbox_id = ? AND status = 'RUNNING'
                        """, owner.pid(), owner.startTime(), owner.bootId(), run, sandbox) == 1;
        if (runs) {
            EventRows.append(transaction, sandbox, SandboxEvent.Kind.ADOPTED, now);
        }
        return runs;
    }
}
