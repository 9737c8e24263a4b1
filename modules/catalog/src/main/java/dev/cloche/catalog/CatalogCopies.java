package dev.cloche.catalog;

import dev.cloche.base.DurableFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The copy of a catalog that is kept for the day when it is lost, {@code catalog.db.yesterday}, and the way back.
 *
 * <p>A catalog is known again by the second of its birth, which stands in it and in its copies ({@code PRAGMA user_version}). So a
 * new one, which was made because the old one was gone, never takes the place of the old one's copy.
 */
final class CatalogCopies {
    private static final String COPY = ".yesterday";
    /** What a restored copy took the place of. */
    private static final String REPLACED = ".replaced";

    private static final Duration SHORTEST = Duration.ofHours(1);
    private static final Duration LONGEST = Duration.ofDays(1);

    /** The bytes of the file that every connection to a database in WAL mode has locked (os.h of SQLite). */
    private static final long FIRST_SHARED = 0x40000002L;

    private static final long SHARED = 510;

    private final Path file;
    private final Path copy;

    CatalogCopies(Path file) {
        this.file = file;
        copy = file.resolveSibling(file.getFileName() + COPY);
    }

    /** Returns the one that is kept; it may be missing. */
    Path copy() {
        return copy;
    }

    /**
     * Makes a copy, in the place of the one before, if that is a day old, or, of a catalog that is younger than that, as old
     * as the catalog was then. Never waits for another process.
     *
     * @return whether it did
     */
    boolean renewIfDue(Instant now) throws IOException, SQLException {
        if (!mayBeDue(now)) {
            return false;
        }
        Optional<CatalogLock> lock = CatalogLock.tryTake(file);
        if (lock.isEmpty()) {
            return false;
        }
        try (CatalogLock _ = lock.get()) {
            removeUnfinished();
            long birth = birth(now);
            if (!isDue(birth, now)) {
                return false;
            }
            Path temporary = DurableFiles.temporaryBeside(copy);
            try {
                CatalogMaintenance.copyTo(file, temporary);
                DurableFiles.publish(temporary, copy);
            } catch (Throwable failure) {
                DurableFiles.deleteAfter(failure, temporary);
                throw failure;
            }
            return true;
        }
    }

    /** By the times of files alone, so that most sweeps open nothing. */
    private boolean mayBeDue(Instant now) throws IOException {
        return age(now).map(age -> age.compareTo(SHORTEST) >= 0).orElse(true);
    }

    /** Empty if there is none, or its time cannot be. */
    private Optional<Duration> age(Instant now) throws IOException {
        try {
            Duration age = Duration.between(Files.getLastModifiedTime(copy).toInstant(), now);
            return Optional.of(age).filter(possible -> !possible.isNegative());
        } catch (NoSuchFileException none) {
            return Optional.empty();
        }
    }

    private boolean isDue(long birth, Instant now) throws IOException, SQLException {
        if (!Files.exists(copy)) {
            return true;
        }
        if (birthOf(copy) != birth) {
            return false;
        }
        Optional<Duration> age = age(now);
        if (age.isEmpty()) {
            return true;
        }
        Duration then = Duration.between(Instant.ofEpochSecond(birth), now.minus(age.get()));
        Duration wait = then.compareTo(SHORTEST) < 0 ? SHORTEST : then.compareTo(LONGEST) > 0 ? LONGEST : then;
        return age.get().compareTo(wait) >= 0;
    }

    /** Of the catalog, to which it is given now if it has none yet. */
    private long birth(Instant now) throws SQLException {
        long known = birthOf(file);
        if (known != 0) {
            return known;
        }
        try (SqliteConnection writer = SqliteConnection.copying(file)) {
            writer.execute("PRAGMA user_version = " + now.getEpochSecond());
        }
        return birthOf(file);
    }

    private static long birthOf(Path database) throws SQLException {
        try (SqliteConnection reader = SqliteConnection.reader(database)) {
            return reader.transaction()
                    .first(row -> row.getLong(1), "PRAGMA user_version")
                    .orElse(0L);
        }
    }

    /** Returns whether there is a copy, of a catalog that is not the one that is here now. */
    boolean isOfAnother() throws SQLException {
        if (!Files.exists(copy)) {
            return false;
        }
        long copied = birthOf(copy);
        return copied != 0 && copied != birthOf(file);
    }

    /** Removes what was being written when its process was killed; no process writes it now. */
    private void removeUnfinished() throws IOException {
        try (DirectoryStream<Path> unfinished =
                Files.newDirectoryStream(file.resolveSibling(""), ".tmp-*-" + copy.getFileName() + "*")) {
            for (Path each : unfinished) {
                Files.deleteIfExists(each);
            }
        }
    }

    /**
     * Puts a copy in the place of the catalog, which is kept as {@code catalog.db.replaced}. The copy stays.
     *
     * @throws CatalogException.InUse if any process has the catalog open
     * @throws CatalogException.Newer if a newer program wrote the copy
     * @throws CatalogException.Corrupt if the copy is damaged, or no catalog
     */
    void restore(Path source, List<CatalogSchema> schemas) throws IOException, SQLException {
        try (CatalogLock _ = CatalogLock.take(file)) {
            removeUnfinished();
            Path temporary = DurableFiles.temporaryBeside(copy);
            try {
                Files.copy(source, temporary, StandardCopyOption.REPLACE_EXISTING);
                requireSound(source, temporary, schemas);
                DurableFiles.force(temporary);
                if (Files.exists(file)) {
                    replaceUnused(temporary);
                } else {
                    publish(temporary);
                }
            } catch (Throwable failure) {
                DurableFiles.deleteAfter(failure, temporary);
                throw failure;
            }
        }
    }

    private void replaceUnused(Path temporary) throws IOException {
        if (OpenCatalogs.isOpen(file)) {
            throw new CatalogException.InUse(file);
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
                FileLock free = channel.tryLock(FIRST_SHARED, SHARED, false)) {
            if (free == null) {
                throw new CatalogException.InUse(file);
            }
            DurableFiles.publish(file, beside(REPLACED));
            publish(temporary);
        }
    }

    /** Its log belongs to the one that was there before, and must never be taken for that of the one that comes. */
    private void publish(Path temporary) throws IOException {
        Path log = beside("-wal");
        if (Files.exists(log)) {
            DurableFiles.publish(log, beside(REPLACED + "-wal"));
        }
        Files.deleteIfExists(beside("-shm"));
        DurableFiles.publish(temporary, file);
    }

    private Path beside(String suffix) {
        return file.resolveSibling(file.getFileName() + suffix);
    }

    private static void requireSound(Path source, Path copied, List<CatalogSchema> schemas) throws SQLException {
        try (SqliteConnection connection = SqliteConnection.copying(copied)) {
            CatalogTransaction transaction = connection.transaction();
            List<String> problems = transaction.list(row -> row.getString(1), "PRAGMA integrity_check");
            var versions = RoomVersions.read(transaction);
            if (!problems.equals(List.of("ok")) || versions.isEmpty()) {
                throw new CatalogException.Unfit(source, versions.isEmpty() ? "it is no catalog" : problems.getFirst());
            }
            var _ = RoomVersions.due(source, schemas, versions);
            var _ = transaction.list(row -> row.getString(1), "PRAGMA journal_mode=WAL");
        } catch (SQLException e) {
            throw new CatalogException.Unfit(source, String.valueOf(e.getMessage()));
        }
    }
}
