package dev.cloche.bench;

import dev.cloche.process.postgres.PostgresConfig;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** A PostgreSQL server of its own that forces its log to the disk. */
record PostgresServer(EmbeddedPostgres server) implements AutoCloseable {
    private static final String USER = "postgres";

    static PostgresServer start() throws IOException {
        return new PostgresServer(EmbeddedPostgres.builder()
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("max_connections", "200")
                .start());
    }

    /** Lets each flush of the log take so much longer, as on a disk that is so much slower; 0 for the disk as it is. */
    void slowFlushes(int micros) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER SYSTEM SET commit_siblings = 0");
            statement.execute("ALTER SYSTEM SET commit_delay = " + micros);
            statement.execute("SELECT pg_reload_conf()");
        }
    }

    String url() {
        return "jdbc:postgresql://localhost:" + server.getPort() + "/postgres";
    }

    PostgresConfig config(String schema) {
        return PostgresConfig.of(url(), USER, "").withSchema(schema);
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(url(), USER, "");
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
