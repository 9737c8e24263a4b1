package dev.cloche.catalog;

import dev.cloche.linux.NativeLibraryException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.LongAdder;
import org.sqlite.NativeLibraryNotFoundException;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteOpenMode;

/** Holds one connection with the settings of the catalog. For one thread at a time. */
final class SqliteConnection implements AutoCloseable {
    /** SQLite's own length of the log, in pages of 4 KiB. */
    private static final String FORCED = "PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=1000";

    /** Sixteen times as long, some 64 MiB: an application may start hundreds of sandboxes before it ends the first. */
    private static final String WITH_NEXT = "PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=16000";

    private static final int READER_BUSY_MILLIS = 5_000;

    private final Connection connection;
    private final CatalogTransaction transaction;
    private WriteDurability durability = WriteDurability.FORCED;
    private boolean broken;

    private SqliteConnection(Connection connection, LongAdder statements) {
        this.connection = connection;
        this.transaction = new CatalogTransaction(connection, statements);
    }

    /**
     * For reading only: a statement that writes fails. A reader of the log waits only for a process that recovers it or is
     * the last to close it, which takes a moment.
     */
    static SqliteConnection reader(Path file) throws SQLException {
        return reader(file, new LongAdder());
    }

    /** @param statements counts what it is given to do */
    static SqliteConnection reader(Path file, LongAdder statements) throws SQLException {
        return open(file, "PRAGMA query_only=ON", READER_BUSY_MILLIS, statements);
    }

    /**
     * For a file on a read-only file system. Where the log has something, SQLite reads it with an index in its own memory;
     * where it has nothing, its files may be missing and cannot be made, so that the file is taken for one that does not
     * change.
     */
    static SqliteConnection readerOfReadOnly(Path file, LongAdder statements) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        config.setBusyTimeout(READER_BUSY_MILLIS);
        String unchanging = Files.exists(file.resolveSibling(file.getFileName() + "-wal")) ? "" : "?immutable=1";
        return new SqliteConnection(
                connect(config, "jdbc:sqlite:" + file.toUri().toASCIIString() + unchanging), statements);
    }

    /**
     * For writing. FULL costs an fsync of the log per transaction, and so a committed row survives a power cut, not only
     * a crash of the process. SQLite's own wait for the lock would be deaf to interrupts: {@link BusyRetry} does it.
     */
    static SqliteConnection writer(Path file) throws SQLException {
        return writer(file, new LongAdder());
    }

    /** @param statements counts what it is given to do */
    static SqliteConnection writer(Path file, LongAdder statements) throws SQLException {
        return open(file, "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON", 0, statements);
    }

    /** For statements that copy or convert a whole file, and so cannot be in a transaction. */
    static SqliteConnection copying(Path file) throws SQLException {
        return open(file, "PRAGMA synchronous=FULL", READER_BUSY_MILLIS, new LongAdder());
    }

    /** Returns a database of its own that goes with it. */
    static SqliteConnection inMemory() throws SQLException {
        return new SqliteConnection(connect(new SQLiteConfig(), "jdbc:sqlite::memory:"), new LongAdder());
    }

    /** @throws NativeLibraryException if SQLite itself cannot be loaded, which the driver hides in a cause */
    private static Connection connect(SQLiteConfig config, String url) throws SQLException {
        try {
            return config.createConnection(url);
        } catch (LinkageError | IllegalCallerException e) {
            throw new NativeLibraryException("SQLite", e);
        } catch (SQLException e) {
            Throwable cause = e.getCause();
            if (cause instanceof NativeLibraryNotFoundException || cause instanceof IllegalCallerException) {
                throw new NativeLibraryException("SQLite", cause);
            }
            throw e;
        }
    }

    /** Without the DriverManager, which would load every JDBC driver of the application. */
    private static SqliteConnection open(Path file, String pragmas, int busyMillis, LongAdder statements)
            throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        // A file that vanished is an error here, never a new and empty catalog.
        config.resetOpenMode(SQLiteOpenMode.CREATE);
        config.setBusyTimeout(busyMillis);
        // Or else the driver asks for them after each insert, by a query prepared anew. Who wants a key says RETURNING.
        config.setGetGeneratedKeys(false);
        Connection connection = connect(config, "jdbc:sqlite:" + file);
        SqliteConnection opened = new SqliteConnection(connection, statements);
        try {
            opened.execute(pragmas);
            return opened;
        } catch (SQLException e) {
            opened.closeAfter(e);
            throw e;
        }
    }

    /** Returns the connection itself, for what is more than a statement. */
    Connection connection() {
        return connection;
    }

    CatalogTransaction transaction() {
        return transaction;
    }

    void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    /**
     * Sets it for the next transactions. In the WAL mode of the catalog NORMAL leaves the flush of the log to a later commit
     * with FULL, which flushes the whole log, and keeps the order of commits (https://www.sqlite.org/pragma.html#pragma_synchronous).
     * What the log has is put in its place, with flushes, by the commit that finds it long enough: one that waits for the disk
     * in any case, unless none comes for a long time.
     */
    void durability(WriteDurability next) throws SQLException {
        if (durability != next) {
            execute(next == WriteDurability.FORCED ? FORCED : WITH_NEXT);
            durability = next;
        }
    }

    /** Runs one transaction, whose lock is waited for as long as the patience allows; nothing has been changed if it throws. */
    <T, X extends Exception> T inTransaction(String begin, String end, BusyRetry patience, Catalog.Work<T, X> work)
            throws SQLException, X {
        patience.until(() -> {
            transaction.border(begin);
            return begin;
        });
        try {
            T result = work.run(transaction);
            transaction.border(end);
            return result;
        } catch (Throwable failure) {
            rollbackAfter(failure);
            throw failure;
        }
    }

    /** Ends the transaction without effect while {@code failure} is on its way. */
    private void rollbackAfter(Throwable failure) {
        try {
            execute("ROLLBACK");
        } catch (SQLException second) {
            broken = true;
            failure.addSuppressed(second);
        }
    }

    /** Returns whether it may hang in a transaction that could not be ended, and so must not be used again. */
    boolean broken() {
        return broken;
    }

    void closeAfter(Throwable failure) {
        try {
            close();
        } catch (SQLException second) {
            failure.addSuppressed(second);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
