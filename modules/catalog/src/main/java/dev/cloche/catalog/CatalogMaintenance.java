package dev.cloche.catalog;

import dev.cloche.base.DurableFiles;
import dev.cloche.linux.DiskReserve;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/**
 * Maintains a catalog as a whole, also one that cannot be opened for work. Nothing here creates or migrates one. Stateless;
 * other processes may use the catalog meanwhile.
 */
public final class CatalogMaintenance {
    private CatalogMaintenance() {}

    /**
     * Returns what opening it would do first.
     *
     * @return in the order in which they would run; for a catalog that does not exist, all of them
     * @throws CatalogException.Newer if a newer program wrote it
     */
    public static List<DueMigration> due(Path stateRoot, List<CatalogSchema> schemas) {
        Path file = Catalog.fileIn(stateRoot);
        if (!Files.exists(file)) {
            return DueMigration.of(schemas, Map.of());
        }
        try (DiskReserve.Loan _ = DiskReserve.in(stateRoot).borrow();
                SqliteConnection reader = reader(file)) {
            Map<String, RoomVersions.Found> found = RoomVersions.read(reader.transaction());
            return DueMigration.of(RoomVersions.due(file, schemas, found), found);
        } catch (SQLException e) {
            throw SqliteErrors.translate(file, e);
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
            try (HeldInstallLease _ = HeldInstallLease.take(lease, holder, HeldInstallLease.PERIOD)) {
                Catalog.open(stateRoot, schemas, gate.presentingThatOf(holder)).close();
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
        try (DiskReserve.Loan _ = DiskReserve.in(stateRoot).borrow();
                SqliteConnection reader = reader(file)) {
            CatalogTransaction transaction = reader.transaction();
            List<String> problems =
                    new ArrayList<>(transaction.list(row -> row.getString(1), "PRAGMA integrity_check"));
            problems.remove("ok");
            problems.addAll(transaction.list(
                    row -> "row " + row.getString(2) + " of " + row.getString(1) + " names a row of " + row.getString(3)
                            + " that does not exist",
                    "PRAGMA foreign_key_check"));
            return List.copyOf(problems);
        } catch (SQLException e) {
            throw SqliteErrors.translate(file, e);
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
            throw SqliteErrors.translate(file, e);
        }
    }

    /**
     * Makes the copy for the day when the catalog is lost, once a day, and sooner while it is young; replaces the one
     * before, unless that is of another catalog. Never waits for another process.
     *
     * @return whether it did; otherwise it was not due, or another process changes the catalog as a whole
     */
    public static boolean renewCopy(Path stateRoot, Instant now) {
        Path file = existing(stateRoot);
        try {
            return new CatalogCopies(file).renewIfDue(now);
        } catch (IOException e) {
            throw new CatalogException.Failed(file, e);
        } catch (SQLException e) {
            throw SqliteErrors.translate(file, e);
        }
    }

    /**
     * Returns the copy that {@link #renewCopy} made, where it is of another catalog than the one that is there now: that one
     * was lost.
     */
    public static Optional<Path> copyOfLost(Path stateRoot) {
        CatalogCopies copies = new CatalogCopies(existing(stateRoot));
        try {
            return copies.isOfAnother() ? Optional.of(copies.copy()) : Optional.empty();
        } catch (SQLException e) {
            throw SqliteErrors.translate(copies.copy(), e);
        }
    }

    /**
     * Puts a copy in the place of the catalog, which may be missing or damaged, and is kept beside it as {@code
     * catalog.db.replaced}. Durable when it returns.
     *
     * @param copy as {@link #backup} makes them; the one of {@link #renewCopy} if none is given
     * @return which was taken
     * @throws CatalogException.Absent if there is no such copy
     * @throws CatalogException.InUse if a process has the catalog open; nothing was changed
     * @throws CatalogException.Newer if a newer program wrote the copy; nothing was changed
     * @throws CatalogException.Unfit if the copy is damaged, or no catalog; nothing was changed
     */
    public static Path restore(Path stateRoot, Optional<Path> copy, List<CatalogSchema> schemas) {
        Path file = Catalog.fileIn(stateRoot);
        CatalogCopies copies = new CatalogCopies(file);
        Path source = copy.orElse(copies.copy());
        if (!Files.exists(source)) {
            throw new CatalogException.Absent(source);
        }
        try {
            copies.restore(source, schemas);
            return source;
        } catch (IOException e) {
            throw SqliteErrors.translate(file, e);
        } catch (SQLException e) {
            throw SqliteErrors.translate(source, e);
        }
    }

    /** Into an empty file of one's own; it is on the disk when this returns. */
    static void copyTo(Path file, Path temporary) throws IOException, SQLException {
        try (SqliteConnection source = SqliteConnection.copying(file)) {
            source.transaction().update("VACUUM INTO ?", temporary.toString());
        }
        // The copy comes without the mode that all programs here expect.
        try (SqliteConnection made = SqliteConnection.copying(temporary)) {
            var _ = made.transaction().list(row -> row.getString(1), "PRAGMA journal_mode=WAL");
        }
        DurableFiles.force(temporary);
    }

    static void copy(Path file, Path target) throws IOException, SQLException {
        Path temporary = DurableFiles.temporaryBeside(target);
        try {
            copyTo(file, temporary);
            DurableFiles.publishNew(temporary, target);
        } catch (Throwable failure) {
            DurableFiles.deleteAfter(failure, temporary);
            throw failure;
        }
    }

    /** Also on a read-only disk. */
    private static SqliteConnection reader(Path file) throws SQLException {
        Path stateRoot = file.resolveSibling("");
        return ReadOnlyFiles.isReadOnly(stateRoot)
                ? SqliteConnection.readerOfReadOnly(file, new LongAdder())
                : SqliteConnection.reader(file);
    }

    private static Path existing(Path stateRoot) {
        Path file = Catalog.fileIn(stateRoot);
        if (!Files.exists(file)) {
            throw new CatalogException.Absent(file);
        }
        return file;
    }
}
