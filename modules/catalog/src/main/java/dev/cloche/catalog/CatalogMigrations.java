package dev.cloche.catalog;

import dev.cloche.base.DurableFiles;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/**
 * Brings the tables of the rooms up to date, one process at a time. The only class that touches Flyway, whose start
 * costs a quarter of a second: nothing may load it before a migration is due.
 *
 * <p>A crash half-way is harmless: each migration is one transaction together with its line in the room's history, and
 * {@code catalog_room} is written last, so the next opening carries on.
 */
final class CatalogMigrations {
    private static final int BUSY_MILLIS = 30_000;

    private CatalogMigrations() {}

    static void run(Path file, List<CatalogSchema> schemas, InstallGate gate, BusyRetry retry)
            throws IOException, SQLException {
        try (CatalogLock _ = CatalogLock.take(file)) {
            try (SqliteConnection writer = retry.until(() -> SqliteConnection.writer(file))) {
                // Another process may have taken the lease, or done it, while this one waited for the lock.
                retry.until(() -> {
                    gate.refuseIfHeld(writer.session());
                    return gate;
                });
                Map<String, Integer> found = RoomVersions.read(writer.session());
                List<CatalogSchema> due = RoomVersions.due(file, schemas, found);
                if (due.isEmpty()) {
                    return;
                }
                backUpIfWanted(file, found, due);
                // Recorded in the file, for every later connection. It wants to be alone for a moment.
                retry.until(() -> writer.session().list(row -> row.getString(1), "PRAGMA journal_mode=WAL"));
                retry.until(() -> writer.session().update(RoomVersions.CREATE));
                for (CatalogSchema schema : due) {
                    migrate(file, schema);
                    retry.until(() -> {
                        RoomVersions.record(writer.session(), schema);
                        return schema;
                    });
                }
            }
        }
    }

    /** What a migration could lose for good is kept beside the catalog, under the name of the version that it had. */
    private static void backUpIfWanted(Path file, Map<String, Integer> found, List<CatalogSchema> due)
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

    private static void migrate(Path file, CatalogSchema schema) {
        SQLiteConfig config = new SQLiteConfig();
        config.setBusyTimeout(BUSY_MILLIS);
        config.enforceForeignKeys(true);
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        SQLiteDataSource source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + file);
        try {
            Flyway.configure(CatalogMigrations.class.getClassLoader())
                    .dataSource(source)
                    .locations("classpath:" + schema.location())
                    .table("flyway_" + schema.room())
                    .target(Integer.toString(schema.version()))
                    .loggers(QuietFlywayLog.class.getName())
                    // The rooms share a file, so a room's first migration never meets an empty one.
                    .baselineOnMigrate(true)
                    .baselineVersion("0")
                    .load()
                    .migrate();
        } catch (FlywayException e) {
            throw SqliteErrors.translate(file, e);
        }
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
