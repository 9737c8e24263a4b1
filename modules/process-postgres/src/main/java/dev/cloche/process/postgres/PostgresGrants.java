package dev.cloche.process.postgres;

import dev.cloche.process.Grant;
import dev.cloche.process.SessionScope;
import dev.cloche.process.store.ProcessHead;
import java.util.ArrayList;
import java.util.List;

/** Writes handles, in one transaction. */
final class PostgresGrants {
    private final Statements statements;

    PostgresGrants(Statements statements) {
        this.statements = statements;
    }

    /** Inserts or replaces one. */
    void put(ProcessHead process, Grant grant) {
        statements.later(
                "INSERT INTO process_grant (scope, process_id, process_key, session, frame, kind, label)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?)"
                        + " ON CONFLICT (scope, process_id) DO UPDATE SET kind = excluded.kind, label = excluded.label",
                grant.scope().key(),
                process.id(),
                process.key(),
                grant.scope().session(),
                grant.scope().frame(),
                grant.descriptor().kind(),
                grant.descriptor().label());
    }

    void delete(ProcessHead process, SessionScope scope) {
        statements.later("DELETE FROM process_grant WHERE scope = ? AND process_id = ?", scope.key(), process.id());
    }

    /**
     * The processes are locked first, in the order of their ids as everywhere, so that of two sessions that leave the
     * same process at once the second sees that it is the last.
     */
    List<Grant> deleteOfSession(String session) {
        List<Grant> deleted = new ArrayList<>();
        while (true) {
            List<String> locked = PostgresReads.sql(() -> statements.list(
                    row -> row.getString("id"),
                    "SELECT p.id FROM process p"
                            + " WHERE p.id IN (SELECT g.process_id FROM process_grant g WHERE g.session = ?)"
                            + " ORDER BY p.id FOR NO KEY UPDATE",
                    session));
            if (locked.isEmpty()) {
                return List.copyOf(deleted);
            }
            deleted.addAll(PostgresReads.sql(() -> statements.list(
                    PostgresRows::grant,
                    "DELETE FROM process_grant g WHERE g.session = ? AND g.process_id = ANY (?) RETURNING "
                            + PostgresRows.GRANT,
                    session,
                    locked)));
        }
    }
}
