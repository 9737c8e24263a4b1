package dev.cloche.catalog;

import dev.cloche.base.DurableFiles;
import dev.cloche.migration.MigrationException;
import dev.cloche.migration.MigrationHistory;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Brings the tables of the rooms up to date, one process at a time. All that is due, the histories and {@code catalog_room}
 * are one transaction: a process that dies leaves the catalog as it was before or as it is after, and an older program
 * never meets one that is between two versions.
 */
final class CatalogMigrations {
    private static final String CREATE = """
            CREATE TABLE IF NOT EXISTS catalog_migration (
                room TEXT NOT NULL,
                version INTEGER NOT NULL,
                file TEXT NOT NULL,
                checksum INTEGER NOT NULL,
                applied_ms INTEGER NOT NULL,
                PRIMARY KEY (room, version)
            ) STRICT, WITHOUT ROWID
            """;

    private CatalogMigrations() {}

    static void run(Path file, List<CatalogSchema> schemas, InstallGate gate, BusyRetry retry)
            throws IOException, SQLException {
        try (CatalogLock _ = CatalogLock.take(file)) {
            try (SqliteConnection writer = retry.until(() -> SqliteConnection.writer(file))) {
                // Another process may have taken the lease, or done it, while this one waited for the lock.
                retry.until(() -> {
                    gate.refuseIfHeld(writer.transaction());
                    return gate;
                });
                Map<String, RoomVersions.Found> found = RoomVersions.read(writer.transaction());
                List<CatalogSchema> due = RoomVersions.due(file, schemas, found);
                if (due.isEmpty()) {
                    return;
                }
                backUpIfWanted(file, found, due);
                // Recorded in the file, for every later connection. It wants to be alone for a moment.
                retry.until(() -> writer.transaction().list(row -> row.getString(1), "PRAGMA journal_mode=WAL"));
                writer.inTransaction("BEGIN IMMEDIATE", "COMMIT", retry, transaction -> {
                    RoomVersions.create(transaction);
                    transaction.update(CREATE);
                    for (CatalogSchema schema : due) {
                        migrate(file, writer, schema, RoomVersions.version(found, schema.room()));
                        RoomVersions.record(transaction, schema);
                    }
                    return due;
                });
            }
        }
    }

    /** What a migration could lose for good is kept beside the catalog, under the name of the version that it had. */
    private static void backUpIfWanted(Path file, Map<String, RoomVersions.Found> found, List<CatalogSchema> due)
            throws IOException, SQLException {
        for (DueMigration step : DueMigration.of(due, found)) {
            if (step.migration().wantsBackup() && found.containsKey(step.room())) {
                Path copy = file.resolveSibling(file.getFileName() + ".before-" + step.room() + "-" + step.version());
                // One that is there is from an attempt that did not come to its end.
                if (!Files.exists(copy)) {
                    CatalogMaintenance.copy(file, copy);
                }
                return;
            }
        }
    }

    private static void migrate(Path file, SqliteConnection writer, CatalogSchema schema, int recorded)
            throws SQLException {
        MigrationHistory history = new MigrationHistory(
                "catalog_migration", schema.room(), flywayTable(writer.transaction(), schema.room()));
        try {
            history.bringUpToDate(writer.connection(), schema.scripts(), recorded);
        } catch (MigrationException.Newer e) {
            throw new CatalogException.Newer(
                    file, schema.room(), new RoomVersions.Found(e.found(), e.found()), schema.version());
        } catch (MigrationException e) {
            throw new CatalogException.History(file, schema.room(), e);
        }
    }

    /** Returns the table in which Flyway kept the room's history, where an earlier Cloche migrated it. */
    private static Optional<String> flywayTable(CatalogTransaction transaction, String room) throws SQLException {
        return transaction.first(
                row -> row.getString(1),
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name = ?",
                "flyway_" + room);
    }

    /** Creates an empty file of mode 0600 unless it exists. SQLite gives its log and index files the same mode. */
    static void createForOwner(Path file) throws IOException {
        if (Files.exists(file)) {
            return;
        }
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Path parent = file.getParent();
            if (parent != null) {
                DurableFiles.forceDirectory(parent);
            }
        } catch (FileAlreadyExistsException raced) {
            // Another process was first, which is as good.
        }
    }
}
