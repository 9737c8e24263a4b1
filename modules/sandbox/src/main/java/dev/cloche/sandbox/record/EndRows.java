package dev.cloche.sandbox.record;

import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.sandbox.SandboxEvent;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.Termination;
import dev.cloche.sandbox.TerminationReason;
import dev.cloche.vm.VmId;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Records how sandboxes and their runs end, and deletes their rows. */
final class EndRows {
    private EndRows() {}

    /** Records the end of a sandbox's run, and of the sandbox with it; false if it is recorded already. */
    static boolean end(CatalogTransaction transaction, long sandbox, Termination termination, long now)
            throws SQLException {
        boolean ended = terminate(transaction, termination, now, "sandbox_id = ?", sandbox);
        int changed = transaction.update("""
                UPDATE sandbox SET status = ?, updated_at = ?
                WHERE id = ? AND status IN
                    ('STARTING', 'RUNNING', 'PAUSED', 'SUSPENDING', 'SUSPENDED', 'RESUMING', 'DRAINING')
                """, termination.status().name(), now, sandbox);
        SuspensionRows.giveUp(transaction, sandbox);
        if (changed > 0) {
            EventRows.append(
                    transaction, sandbox, StatusRows.eventOf(termination.status()), Optional.of(termination), "", now);
        }
        return ended;
    }

    /** Does as {@link #end}; false, and nothing is changed, if it is suspended: its run goes on from its memory. */
    static boolean endUnlessSuspended(CatalogTransaction transaction, long sandbox, Termination termination, long now)
            throws SQLException {
        if (StatusRows.is(transaction, sandbox, SandboxStatus.SUSPENDED)) {
            return false;
        }
        var _ = end(transaction, sandbox, termination, now);
        return true;
    }

    /** Removes a sandbox that has ended and is to go; false if it is gone, runs or stays. */
    static boolean delete(CatalogTransaction transaction, long sandbox, long now) throws SQLException {
        boolean there = transaction
                .first(
                        row -> row.getInt(1),
                        "SELECT 1 FROM sandbox WHERE id = ? AND ephemeral = 1 AND status IN ('STOPPED', 'CRASHED')",
                        sandbox)
                .isPresent();
        if (there) {
            EventRows.append(transaction, sandbox, SandboxEvent.Kind.REMOVED, now);
            transaction.update("DELETE FROM sandbox WHERE id = ?", sandbox);
        }
        return there;
    }

    /**
     * Records the end of a run that has none yet.
     *
     * @param which a further condition, which begins with a column of {@code run}
     * @return whether there was such a run
     */
    static boolean terminate(
            CatalogTransaction transaction, Termination termination, long now, String which, Object... parameters)
            throws SQLException {
        List<Object> all = new ArrayList<>(List.of(
                asked(termination),
                termination.reason().name(),
                SandboxRows.boxed(termination.exitCode()),
                SandboxRows.boxed(termination.exitSignal()),
                SandboxRows.flag(termination.killed()),
                termination.detail(),
                now));
        all.addAll(Arrays.asList(parameters));
        return transaction.update("""
                        UPDATE run SET status = 'TERMINATED', asked = ?, reason = ?, exit_code = ?, exit_signal = ?,
                               killed = ?, detail = ?, terminated_at = ?
                        WHERE status = 'RUNNING' AND\s""" + which, all.toArray()) == 1;
    }

    /** Adds how the main command of a run ended whose end is recorded without that; false if there is none. */
    static boolean mainEnded(CatalogTransaction transaction, VmId vm, Termination main) throws SQLException {
        return transaction.update(
                        """
                        UPDATE run SET exit_code = ?, exit_signal = ?
                        WHERE vm_id = ? AND status = 'TERMINATED' AND exit_code IS NULL AND exit_signal IS NULL
                        """, SandboxRows.boxed(main.exitCode()), SandboxRows.boxed(main.exitSignal()), vm.value())
                == 1;
    }

    /**
     * Returns, of an end that was asked for, what it was asked as, or as a plain stop where the end has a reason of its
     * own.
     */
    private static Optional<String> asked(Termination termination) {
        TerminationReason reason = termination.reason();
        return Optional.of(reason.canBeAsked() ? reason : TerminationReason.SHUTDOWN_REQUESTED)
                .filter(_ -> termination.asked())
                .map(TerminationReason::name);
    }
}
