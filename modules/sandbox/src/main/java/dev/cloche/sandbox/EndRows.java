package dev.cloche.sandbox;

import dev.cloche.catalog.Session;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** What runs are terminated with. */
final class EndRows {
    private EndRows() {}

    /**
     * Records the end of a run that has none yet.
     *
     * @param which a further condition, which begins with a column of {@code run}
     * @return whether there was such a run
     */
    static boolean terminate(Session session, Ending ending, long now, String which, Object... parameters)
            throws SQLException {
        List<Object> all = new ArrayList<>(List.of(
                asked(ending),
                ending.reason().name(),
                SandboxRows.boxed(ending.exitCode()),
                SandboxRows.boxed(ending.exitSignal()),
                ending.detail(),
                now));
        all.addAll(Arrays.asList(parameters));
        return session.update("""
                        UPDATE run SET status = 'TERMINATED', asked = ?, reason = ?, exit_code = ?, exit_signal = ?,
                               detail = ?, terminated_at = ?
                        WHERE status = 'RUNNING' AND\s""" + which, all.toArray()) == 1;
    }

    /** Of an end that somebody had asked for: what it was asked as, or as a plain stop where the end has a reason of its own. */
    private static Optional<String> asked(Ending ending) {
        TerminationReason reason = ending.reason();
        return Optional.of(reason.canBeAsked() ? reason : TerminationReason.SHUTDOWN_REQUESTED)
                .filter(_ -> ending.asked())
                .map(TerminationReason::name);
    }
}
