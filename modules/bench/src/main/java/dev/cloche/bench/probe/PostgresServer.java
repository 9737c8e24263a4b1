package dev.cloche.bench.probe;

import dev.cloche.process.postgres.PostgresConfig;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** Runs a PostgreSQL server of its own that forces its log to the disk. */
public record PostgresServer(EmbeddedPostgres server) implements AutoCloseable {
    private static final String USER = "postgres";

    public static PostgresServer start() throws IOException {
        return new PostgresServer(EmbeddedPostgres.builder()
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("max_connections", "200")
                .start());
    }

    /** Lets each flush of the log take so much longer, as on a disk that is so much slower; 0 for the disk as it is. */
    public void slowFlushes(int micros) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER SYSTEM SET commit_siblings = 0");
            statement.execute("ALTER SYSTEM SET commit_delay = " + micros);
            statement.execute("SELECT pg_reload_conf()");
        }
    }

    public String url() {
        return "jdbc:postgresql://localhost:" + server.getPort() + "/postgres";
    }

    public PostgresConfig config(String schema) {
        return PostgresConfig.of(url(), USER, "").withSchema(schema);
    }

    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url(), USER, "");
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
