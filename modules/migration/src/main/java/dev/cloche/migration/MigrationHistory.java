package dev.cloche.migration;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Keeps in a database which migrations have made the tables of one room.
 *
 * @param table name in SQL of the table of histories, which exists; its columns are {@code room}, {@code version}, {@code
 *     file}, {@code checksum}, {@code applied_ms}
 * @param room whose migrations these are
 * @param flyway name in SQL of the history that Flyway kept for an earlier Cloche, if there is one
 */
public record MigrationHistory(String table, String room, Optional<String> flyway) {
    /**
     * Applies the scripts that are due, and records each. A history of Flyway's is carried over first, unless the room has
     * one of its own; Flyway's table stays as it is.
     *
     * @param connection in a transaction, which the caller began, commits, and rolls back when this throws. It excludes
     *     every other one that migrates
     * @param scripts all that this program has, the first is version 1
     * @param recorded the version that the caller has recorded outside of the history, 0 for none
     * @throws MigrationException if a newer program migrated the tables, or the history does not fit the scripts
     */
    public void bringUpToDate(Connection connection, List<MigrationScript> scripts, int recorded)
            throws SQLException, MigrationException {
        for (MigrationScript script : MigrationRules.due(scripts, begun(connection), recorded)) {
            try (Statement statement = connection.createStatement()) {
                // Braces in a script are no escapes of JDBC.
                statement.setEscapeProcessing(false);
                // Both drivers take any number of statements here, SQLite's nowhere else.
                statement.executeUpdate(script.sql());
            }
            record(
                    connection,
                    new AppliedMigration(
                            script.version(), script.file(), script.checksum(), System.currentTimeMillis()));
        }
    }

    /** Returns what has been applied, in the order of the versions. */
    public List<AppliedMigration> read(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT version, file, checksum, applied_ms FROM " + table + " WHERE room = ? ORDER BY version")) {
            query.setString(1, room);
            try (ResultSet rows = query.executeQuery()) {
                List<AppliedMigration> applied = new ArrayList<>();
                while (rows.next()) {
                    applied.add(
                            new AppliedMigration(rows.getInt(1), rows.getString(2), rows.getInt(3), rows.getLong(4)));
                }
                return List.copyOf(applied);
            }
        }
    }

    private List<AppliedMigration> begun(Connection connection) throws SQLException, MigrationException {
        List<AppliedMigration> applied = read(connection);
        if (!applied.isEmpty() || flyway.isEmpty()) {
            return applied;
        }
        List<AppliedMigration> carried = FlywayHistory.read(connection, flyway.get());
        for (AppliedMigration migration : carried) {
            record(connection, migration);
        }
        return carried;
    }

    private void record(Connection connection, AppliedMigration migration) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO " + table + " (room, version, file, checksum, applied_ms) VALUES (?, ?, ?, ?, ?)")) {
            insert.setString(1, room);
            insert.setInt(2, migration.version());
            insert.setString(3, migration.file());
            insert.setInt(4, migration.checksum());
            insert.setLong(5, migration.appliedMillis());
            insert.executeUpdate();
        }
    }
}
