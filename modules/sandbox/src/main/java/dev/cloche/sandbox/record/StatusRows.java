package dev.cloche.sandbox.record;

import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.sandbox.SandboxEvent;
import dev.cloche.sandbox.SandboxStatus;
import java.sql.SQLException;
import java.util.Set;

/** Changes the statuses of sandboxes, which move along {@link SandboxStatus#successors()} and each tell an event. */
final class StatusRows {
    private StatusRows() {}

    static SandboxEvent.Kind eventOf(SandboxStatus status) {
        return SandboxEvent.Kind.valueOf(status.name());
    }

    /** Moves a sandbox to a status; false if it is not in {@code from} any more. */
    static boolean move(CatalogTransaction transaction, long id, SandboxStatus from, SandboxStatus to, long now)
            throws SQLException {
        if (!from.successors().contains(to)) {
            throw new IllegalArgumentException("no transition from " + from + " to " + to);
        }
        boolean moved = transaction.update(
                        "UPDATE sandbox SET status = ?, updated_at = ? WHERE id = ? AND status = ?",
                        to.name(),
                        now,
                        id,
                        from.name())
                == 1;
        if (moved) {
            boolean resumed =
                    (from == SandboxStatus.PAUSED || from == SandboxStatus.RESUMING) && to == SandboxStatus.RUNNING;
            EventRows.append(transaction, id, resumed ? SandboxEvent.Kind.RESUMED : eventOf(to), now);
        }
        return moved;
    }

    /** Has it draining, from any of these statuses; false if it is in none of them. */
    static boolean drain(CatalogTransaction transaction, long id, Set<SandboxStatus> from, long now)
            throws SQLException {
        boolean draining = false;
        for (SandboxStatus status : from) {
            draining |= status == SandboxStatus.DRAINING
                    ? is(transaction, id, status)
                    : move(transaction, id, status, SandboxStatus.DRAINING, now);
        }
        return draining;
    }

    static boolean is(CatalogTransaction transaction, long id, SandboxStatus status) throws SQLException {
        return transaction
                .first(row -> row.getInt(1), "SELECT 1 FROM sandbox WHERE id = ? AND status = ?", id, status.name())
                .isPresent();
    }
}
