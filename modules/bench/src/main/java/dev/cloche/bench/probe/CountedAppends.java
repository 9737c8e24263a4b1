package dev.cloche.bench.probe;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Appends by the plain pattern of an event store with a change feed: every append takes the next number of one global
 * counter row, notifies, and commits. One connection, for one thread.
 */
public final class CountedAppends implements AutoCloseable {
    private static final String HASH = "0".repeat(64);

    /** Beyond all positions that the counter gives. */
    private static final long FAR = 1L << 40;

    private final Connection connection;
    private final PreparedStatement lock;
    private final PreparedStatement count;
    private final PreparedStatement insert;
    private final PreparedStatement update;
    private final PreparedStatement announce;

    public CountedAppends(Connection connection) throws SQLException {
        this.connection = connection;
        connection.setAutoCommit(false);
        lock = connection.prepareStatement("SELECT last FROM counted.process WHERE id = ? FOR UPDATE");
        count = connection.prepareStatement("UPDATE counted.counter SET value = value + 1 RETURNING value");
        insert =
                connection.prepareStatement("INSERT INTO counted.event VALUES (?, ?, ?, 'note', ?, '" + HASH + "', 0)");
        update = connection.prepareStatement("UPDATE counted.process SET last = ? WHERE id = ?");
        announce = connection.prepareStatement("SELECT pg_notify('counted', ?)");
    }

    public static void create(PostgresServer server, int processes) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA counted;"
                    + " CREATE TABLE counted.counter (value bigint NOT NULL);"
                    + " INSERT INTO counted.counter VALUES (0);"
                    + " CREATE TABLE counted.process (id text PRIMARY KEY, last bigint NOT NULL);"
                    + " CREATE TABLE counted.event (position bigint PRIMARY KEY, process text NOT NULL,"
                    + " sequence bigint NOT NULL, type text NOT NULL, payload text NOT NULL, hash text NOT NULL,"
                    + " at bigint NOT NULL, UNIQUE (process, sequence));"
                    + " INSERT INTO counted.process SELECT 'p' || i, 0 FROM generate_series(0, " + (processes - 1)
                    + ") AS i");
        }
    }

    public void append(String process, String payload) {
        try {
            lock.setString(1, process);
            long sequence = number(lock) + 1;
            long position = number(count);
            insert.setLong(1, position);
            insert.setString(2, process);
            insert.setLong(3, sequence);
            insert.setString(4, payload);
            insert.executeUpdate();
            update.setLong(1, sequence);
            update.setString(2, process);
            update.executeUpdate();
            announce.setString(1, process);
            announce.execute();
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Appends without the counter and the notification: the rows of one process alone, in one transaction. */
    public void appendPlainly(String process, String payload) {
        try {
            lock.setString(1, process);
            long sequence = number(lock) + 1;
            insert.setLong(1, FAR + sequence);
            insert.setString(2, process);
            insert.setLong(3, sequence);
            insert.setString(4, payload);
            insert.executeUpdate();
            update.setLong(1, sequence);
            update.setString(2, process);
            update.executeUpdate();
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long number(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getLong(1);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
