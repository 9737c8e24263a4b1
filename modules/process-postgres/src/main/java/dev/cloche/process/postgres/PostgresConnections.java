package dev.cloche.process.postgres;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.postgresql.ds.PGSimpleDataSource;

/** Makes connections with the settings that all other classes rely on. */
final class PostgresConnections {
    private static final int CONNECT_SECONDS = 10;
    private static final long POOL_LEAST_MILLIS = 250;
    /** The server's own timeout comes first; this one is for a server that has vanished. */
    private static final Duration VANISHED = Duration.ofSeconds(5);

    private PostgresConnections() {}

    /** Returns a pool whose connections begin their transactions as READ COMMITTED, and commit durably. */
    static HikariDataSource pool(PostgresConfig config) {
        HikariConfig hikari = new HikariConfig();
        hikari.setDataSource(source(config, config.statementTimeout().plus(VANISHED)));
        hikari.setPoolName("cloche-process-" + config.schema());
        hikari.setMaximumPoolSize(config.connections());
        hikari.setMinimumIdle(1);
        hikari.setAutoCommit(false);
        hikari.setConnectionTimeout(Math.clamp(
                config.statementTimeout().toMillis(),
                POOL_LEAST_MILLIS,
                Duration.ofSeconds(CONNECT_SECONDS).toMillis()));
        hikari.setConnectionInitSql(settings(config));
        // Or else the settings would be part of the first transaction, and gone if that is rolled back.
        hikari.setIsolateInternalQueries(true);
        return new HikariDataSource(hikari);
    }

    /** Returns a connection of its own in auto-commit mode, with a bound for each read from the server; 0 is none. */
    static Connection single(PostgresConfig config, Duration longestRead) throws SQLException {
        Connection connection = source(config, longestRead).getConnection();
        try (var statement = connection.createStatement()) {
            statement.execute(settings(config));
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    static PGSimpleDataSource source(PostgresConfig config, Duration longestRead) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(config.url());
        source.setUser(config.user());
        source.setPassword(config.password());
        source.setConnectTimeout(CONNECT_SECONDS);
        source.setSocketTimeout(Math.toIntExact(longestRead.toSeconds()));
        source.setTcpKeepAlive(true);
        source.setApplicationName("cloche");
        // What a server adds to an error are the values of rows.
        source.setLogServerErrorDetail(false);
        return source;
    }

    /**
     * Only our schema, and never the role's path (the server's own names come before it); a database or role that is set to
     * lose commits is overruled; and no wait is without an end.
     */
    private static String settings(PostgresConfig config) {
        long millis = config.statementTimeout().toMillis();
        return "SET search_path TO " + config.schema() + ";"
                + " SET synchronous_commit TO on;"
                + " SET statement_timeout TO " + millis + ";"
                + " SET lock_timeout TO " + millis + ";"
                + " SET idle_in_transaction_session_timeout TO " + 2 * millis + ";"
                + " SET default_transaction_isolation TO 'read committed'";
    }
}
