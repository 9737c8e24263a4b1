package dev.cloche.sandbox.record;

import dev.cloche.catalog.Session;
import dev.cloche.sandbox.MainCommand;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;

/**
 * Reads and writes the rows of main commands and labels: a start and {@code inspect} read them, lists and sweeps do
 * not.
 */
final class CommandRows {
    private static final CommandTables TABLES = new CommandTables("sandbox");

    private CommandRows() {}

    static void insert(Session session, long id, MainCommand main) throws SQLException {
        TABLES.insert(session, id, main);
    }

    static void replace(Session session, long id, MainCommand main) throws SQLException {
        session.update("DELETE FROM sandbox_command WHERE sandbox_id = ?", id);
        insert(session, id, main);
    }

    /** Reads a main command; empty for a sandbox of a Cloche that did not record it. */
    static Optional<MainCommand> read(Session session, long id) throws SQLException {
        return TABLES.read(session, id);
    }

    static void insertLabels(Session session, long id, Map<String, String> labels) throws SQLException {
        for (Map.Entry<String, String> label : labels.entrySet()) {
            session.update(
                    "INSERT INTO sandbox_label (sandbox_id, key, value) VALUES (?, ?, ?)",
                    id,
                    label.getKey(),
                    label.getValue());
        }
    }

    static Map<String, String> labels(Session session, long id) throws SQLException {
        return CommandTables.map(session, "SELECT key, value FROM sandbox_label WHERE sandbox_id = ?", id);
    }
}
