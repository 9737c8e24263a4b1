package dev.cloche.process.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/** Brings the tables up to date. Flyway is loaded only where a one-row table says that this is due. */
final class PostgresMigrations {
    /** Of the tables that this program knows. */
    static final int VERSION = 2;

    /** Locks of advice are numbers; this one is held during the migration of any schema of a database. */
    private static final long LOCK = 0x636c_6f63_6865L;

    private static final String VERSION_TABLE = "process_store";

    private PostgresMigrations() {}

    /**
     * Programs that come together wait for the first.
     *
     * @throws PostgresException.Newer if the tables are ahead of this program
     */
    static void run(PostgresConfig config) throws SQLException {
        try (Connection connection =
                PostgresConnections.source(config, Duration.ZERO).getConnection()) {
            if (version(connection, config) == VERSION) {
                return;
            }
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT pg_advisory_lock(" + LOCK + ")");
                try {
                    if (version(connection, config) < VERSION) {
                        migrate(config);
                        record(statement, config);
                    }
                } finally {
                    statement.execute("SELECT pg_advisory_unlock(" + LOCK + ")");
                }
            }
        } catch (FlywayException e) {
            throw new PostgresException.Unavailable(config, e);
        }
    }

    private static int version(Connection connection, PostgresConfig config) throws SQLException {
        String table = config.schema() + "." + VERSION_TABLE;
        try (Statement statement = connection.createStatement()) {
            try (ResultSet row = statement.executeQuery("SELECT to_regclass('" + table + "') IS NOT NULL")) {
                row.next();
                if (!row.getBoolean(1)) {
                    return 0;
                }
            }
            try (ResultSet row = statement.executeQuery("SELECT max(version) FROM " + table)) {
                row.next();
                int found = row.getInt(1);
                if (found > VERSION) {
                    throw new PostgresException.Newer(config.schema(), found, VERSION);
                }
                return found;
            }
        }
    }

    private static void migrate(PostgresConfig config) {
        var _ = Flyway.configure(PostgresMigrations.class.getClassLoader())
                .dataSource(PostgresConnections.source(config, Duration.ZERO))
                .locations("classpath:dev/cloche/process/postgres/migrations")
                .schemas(config.schema())
                .createSchemas(true)
                .table("flyway_process")
                .target(Integer.toString(VERSION))
                // A schema that was made for us, with rights that we could not give ourselves.
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .loggers("slf4j")
                .load()
                .migrate();
    }

    private static void record(Statement statement, PostgresConfig config) throws SQLException {
        String table = config.schema() + "." + VERSION_TABLE;
        statement.execute("CREATE TABLE IF NOT EXISTS " + table
                + " (one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL)");
        statement.execute("INSERT INTO " + table + " (version) VALUES (" + VERSION
                + ") ON CONFLICT (one) DO UPDATE SET version = excluded.version");
    }
}
