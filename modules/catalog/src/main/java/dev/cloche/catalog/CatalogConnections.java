package dev.cloche.catalog;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Holds the open connections to one catalog: a pool of readers, and the one that writes. What is about readers is
 * thread-safe; the writer is asked for, and all of them are closed, by the thread that holds the catalog's lock for writing.
 */
final class CatalogConnections implements AutoCloseable {
    private static final int IDLE_READERS = 4;

    private final Path file;
    private final boolean readOnly;
    private final LongAdder statements = new LongAdder();
    private final Deque<SqliteConnection> idleReaders = new ArrayDeque<>();
    private @Nullable SqliteConnection writer;
    /** Changed by who has both locks. */
    private boolean closed;

    /** @param readOnly whether the file system is */
    CatalogConnections(Path file, boolean readOnly) {
        this.file = file;
        this.readOnly = readOnly;
    }

    /**
     * For {@link #giveBack}.
     *
     * @throws IllegalStateException if they are closed
     */
    SqliteConnection borrowReader(BusyRetry patience) throws SQLException {
        synchronized (idleReaders) {
            requireOpen();
            SqliteConnection idle = idleReaders.poll();
            if (idle != null) {
                return idle;
            }
        }
        return patience.until(() -> readOnly
                ? SqliteConnection.readerOfReadOnly(file, statements)
                : SqliteConnection.reader(file, statements));
    }

    void giveBack(SqliteConnection reader) throws SQLException {
        synchronized (idleReaders) {
            if (!reader.broken() && !closed && idleReaders.size() < IDLE_READERS) {
                idleReaders.push(reader);
                return;
            }
        }
        reader.close();
    }

    /**
     * The one that writes; a new one in the place of one that is broken.
     *
     * @throws IllegalStateException if they are closed
     */
    SqliteConnection writer(BusyRetry patience) throws SQLException {
        requireOpen();
        SqliteConnection connection = writer;
        if (connection == null || connection.broken()) {
            if (connection != null) {
                connection.close();
            }
            connection = patience.until(() -> SqliteConnection.writer(file, statements));
            writer = connection;
        }
        return connection;
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the catalog is closed");
        }
    }

    /** Returns how many statements all of them were given to do. */
    long statements() {
        return statements.sum();
    }

    void closeReaders() throws SQLException {
        synchronized (idleReaders) {
            while (!idleReaders.isEmpty()) {
                idleReaders.pop().close();
            }
        }
    }

    @Override
    public void close() throws SQLException {
        synchronized (idleReaders) {
            closed = true;
        }
        closeReaders();
        if (writer != null) {
            writer.close();
            writer = null;
        }
    }
}
