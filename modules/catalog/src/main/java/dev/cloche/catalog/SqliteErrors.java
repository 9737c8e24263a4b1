package dev.cloche.catalog;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** Tells SQLite's result codes apart (see https://sqlite.org/rescode.html). Stateless. */
final class SqliteErrors {
    private static final int PERM = 3;
    private static final int BUSY = 5;
    private static final int LOCKED = 6;
    private static final int READONLY = 8;
    private static final int IOERR = 10;
    private static final int CORRUPT = 11;
    private static final int FULL = 13;
    private static final int CANTOPEN = 14;
    private static final int CONSTRAINT = 19;
    private static final int AUTH = 23;
    private static final int NOTADB = 26;

    /** No migration writes more at a time. */
    private static final long MIGRATION_BYTES = 1 << 20;

    private SqliteErrors() {}

    static boolean isBusy(SQLException e) {
        int code = primary(e);
        return code == BUSY || code == LOCKED;
    }

    static CatalogException translate(Path file, SQLException e) {
        if (cannotGrowSharedMemory(e) || (mayHaveNoRoom(e) && isFull(file))) {
            return new CatalogException.NoSpace(file, e);
        }
        return switch (primary(e)) {
            case BUSY, LOCKED -> new CatalogException.Busy(file, "a statement met its lock", e);
            case CORRUPT, NOTADB -> new CatalogException.Corrupt(file, e);
            case FULL -> new CatalogException.NoSpace(file, e);
            case PERM, READONLY, CANTOPEN, AUTH -> new CatalogException.Denied(file, e);
            case CONSTRAINT -> new CatalogException.Constraint(file, e);
            default -> new CatalogException.Failed(file, e);
        };
    }

    /** What the file system said while the file or its directory was made. */
    static CatalogException translate(Path file, IOException e) {
        return isFull(file) ? new CatalogException.NoSpace(file, e) : new CatalogException.Denied(file, e);
    }

    private static boolean isFull(Path file) {
        Path directory = file.toAbsolutePath().getParent();
        return directory != null
                && Files.isDirectory(directory)
                && directory.toFile().getUsableSpace() < MIGRATION_BYTES;
    }

    /** A file that cannot be made, or bytes that cannot be written; SQLite keeps the reason to itself. */
    private static boolean mayHaveNoRoom(SQLException e) {
        return primary(e) == CANTOPEN || primary(e) == IOERR;
    }

    /** Of the WAL's index. SQLite keeps the reason to itself, but what it could not get is space: ENOSPC or EDQUOT. */
    private static boolean cannotGrowSharedMemory(SQLException e) {
        return e instanceof SQLiteException extended
                && extended.getResultCode() == SQLiteErrorCode.SQLITE_IOERR_SHMSIZE;
    }

    /** The low byte of an extended result code is its primary code. */
    private static int primary(SQLException e) {
        return e.getErrorCode() & 0xff;
    }
}
