package dev.cloche.sandbox.record;

import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Keeps ids from being given twice after a catalog was lost or an old copy of it was restored: it does not know which it had given
 * since, but directories that are called by them are still there, perhaps with disks.
 */
public final class RowIds {
    private static final Pattern DIRECTORY = Pattern.compile(".+-(\\d{1,18})");

    private RowIds() {}

    /** Says that there is a directory of the name that a new row was to get; nothing was recorded. */
    public static final class Taken extends RuntimeException {
        private Taken(Path directory) {
            super("there is a directory " + directory + " already", null, false, false);
        }
    }

    /**
     * Checks that the directory of a new row is not there yet: a lost catalog may have given its id before.
     *
     * @throws Taken if there is such a directory
     */
    public static void requireNew(Path directory) {
        if (Files.exists(directory)) {
            throw new Taken(directory);
        }
    }

    /** Returns the highest id in the names of these directories; 0 if there is none. */
    public static long highestIn(Path directories) {
        try (Stream<Path> entries = Files.list(directories)) {
            return entries.map(entry -> DIRECTORY.matcher(entry.getFileName().toString()))
                    .filter(Matcher::matches)
                    .mapToLong(name -> Long.parseLong(name.group(1)))
                    .max()
                    .orElse(0);
        } catch (NoSuchFileException none) {
            return 0;
        } catch (IOException e) {
            throw new SandboxException.StorageFailed(directories, e);
        }
    }

    /** Has the next row of a table get a higher id than this one. */
    static void skip(CatalogTransaction transaction, String table, long id) throws SQLException {
        if (transaction.update("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", id, table) == 0) {
            transaction.update("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", table, id);
        }
    }
}
