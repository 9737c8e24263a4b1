package dev.cloche.catalog;

import dev.cloche.base.DurableFiles;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What is done with a catalog as a whole, also with one that cannot be opened for work. Nothing here creates or migrates
 * one. Stateless; other processes may use the catalog meanwhile.
 */
public final class CatalogMaintenance {
    private CatalogMaintenance() {}

    /**
     * What opening it would do first.
     *
     * @return in the order in which they would run; for a catalog that does not exist, all of them
     * @throws CatalogException.Newer if a newer program wrote it
     */
    public static List<DueMigration> due(Path stateRoot, List<CatalogSchema> schemas) {
        Path file = Catalog.fileIn(stateRoot);
        if (!Files.exists(file)) {
            return DueMigration.of(schemas, Map.of());
        }
        try (SqliteConnection reader = SqliteConnection.reader(file)) {
            Map<String, Integer> found = RoomVersions.read(reader.session());
            return DueMigration.of(RoomVersions.due(file, schemas, found), found);
        } catch (SQLException e) {
            throw SqlErrors.translate(file, e);
        }
    }

    /**
     * Brings a catalog up to date while everybody else is kept out of it, as a command of its own does. A catalog that is
     * so old, or so new, that it knows no leases is migrated as any opening would.
     *
     * @param holder this process, in the words that {@link InstallGate#holderAlive()} understands
     * @return what was done
     * @throws CatalogException.InstallInProgress if another command is changing the installation
     * @throws CatalogException.Newer if a newer program wrote it
     */
    public static List<DueMigration> migrate(
            Path stateRoot, List<CatalogSchema> schemas, String holder, InstallGate gate) {
        List<DueMigration> due = due(stateRoot, schemas);
        if (due.isEmpty()) {
            return due;
        }
        if (due.stream().anyMatch(step -> step.room().equals(LeaseTable.SCHEMA.room()))) {
            Catalog.open(stateRoot, schemas, gate).close();
            return due;
        }
        // What it says of leases is known, and it is opened for nothing else.
        try (Catalog catalog = Catalog.open(stateRoot, List.of(LeaseTable.SCHEMA), gate)) {
            InstallLease lease = new InstallLease(catalog, gate);
            LeaseHandle handle = lease.acquire(holder);
            try {
                Catalog.open(stateRoot, schemas, gate.presenting(handle)).close();
            } finally {
                lease.clear(handle);
            }
        }
        return due;
    }

    /**
     * Reads every page and every row: SQLite's own {@code integrity_check} and {@code foreign_key_check}.
     *
     * @return a sentence for each thing that is wrong; empty if it is sound
     * @throws CatalogException if it cannot be read at all
     */
    public static List<String> problems(Path stateRoot) {
        Path file = existing(stateRoot);
        try (SqliteConnection reader = SqliteConnection.reader(file)) {
            Session session = reader.session();
            List<String> problems = new ArrayList<>(session.list(row -> row.getString(1), "PRAGMA integrity_check"));
            problems.remove("ok");
            problems.addAll(session.list(
                    row -> "row " + row.getString(2) + " of " + row.getString(1) + " names a row of " + row.getString(3)
                            + " that does not exist",
                    "PRAGMA foreign_key_check"));
            return List.copyOf(problems);
        } catch (SQLException e) {
            throw SqlErrors.translate(file, e);
        }
    }

    /**
     * Writes a copy of the catalog as it is at one moment; it is on the disk when this returns. To restore it, end all
     * that uses the state root, and put it in the place of {@code catalog.db}, without the files {@code -wal} and
     * {@code -shm} beside it.
     *
     * @throws CatalogException.TargetExists if there is such a file; it is left alone
     */
    public static void backup(Path stateRoot, Path target) {
        Path file = existing(stateRoot);
        if (Files.exists(target)) {
            throw new CatalogException.TargetExists(target);
        }
        try {
            copy(file, target);
        } catch (FileAlreadyExistsException raced) {
            throw new CatalogException.TargetExists(target);
        } catch (IOException e) {
            throw new CatalogException.Failed(target, e);
        } catch (SQLException e) {
            throw SqlErrors.translate(file, e);
        }
    }

    static void copy(Path file, Path target) throws IOException, SQLException {
        Path temporary = DurableFiles.temporaryBeside(target);
        try {
            try (SqliteConnection source = SqliteConnection.copying(file)) {
                source.session().update("VACUUM INTO ?", temporary.toString());
            }
            // The copy comes without the mode that all programs here expect.
            try (SqliteConnection made = SqliteConnection.copying(temporary)) {
                var _ = made.session().list(row -> row.getString(1), "PRAGMA journal_mode=WAL");
            }
            DurableFiles.force(temporary);
            DurableFiles.publishNew(temporary, target);
        } catch (Throwable failure) {
            DurableFiles.deleteAfter(failure, temporary);
            throw failure;
        }
    }

    private static Path existing(Path stateRoot) {
        Path file = Catalog.fileIn(stateRoot);
        if (!Files.exists(file)) {
            throw new CatalogException.Absent(file);
        }
        return file;
    }
}
