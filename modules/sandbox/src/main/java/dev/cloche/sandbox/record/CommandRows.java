package dev.cloche.sandbox.record;

import dev.cloche.catalog.CatalogTransaction;
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

    static void insert(CatalogTransaction transaction, long id, MainCommand main) throws SQLException {
        TABLES.insert(transaction, id, main);
    }

    static void replace(CatalogTransaction transaction, long id, MainCommand main) throws SQLException {
        transaction.update("DELETE FROM sandbox_command WHERE sandbox_id = ?", id);
        insert(transaction, id, main);
    }

    /** Reads a main command; empty for a sandbox of a Cloche that did not record it. */
    static Optional<MainCommand> read(CatalogTransaction transaction, long id) throws SQLException {
        return TABLES.read(transaction, id);
    }

    static void insertLabels(CatalogTransaction transaction, long id, Map<String, String> labels) throws SQLException {
        for (Map.Entry<String, String> label : labels.entrySet()) {
            transaction.update(
                    "INSERT INTO sandbox_label (sandbox_id, key, value) VALUES (?, ?, ?)",
                    id,
                    label.getKey(),
                    label.getValue());
        }
    }

    static Map<String, String> labels(CatalogTransaction transaction, long id) throws SQLException {
        return CommandTables.map(transaction, "SELECT key, value FROM sandbox_label WHERE sandbox_id = ?", id);
    }
}
