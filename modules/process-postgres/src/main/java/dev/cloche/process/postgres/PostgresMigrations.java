package dev.cloche.process.postgres;

import dev.cloche.migration.MigrationException;
import dev.cloche.migration.MigrationHistory;
import dev.cloche.migration.MigrationScript;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Brings the tables up to date, where a one-row table says that this is due. The schema, all migrations and their history
 * are one transaction.
 */
final class PostgresMigrations {
    private static final List<String> NAMES = List.of("process", "lives_pauses_and_bounds");

    /** Of the tables that this program knows. */
    static final int VERSION = NAMES.size();

    /** Locks of advice are numbers; this one is held during the migration of any schema of a database. */
    private static final long LOCK = 0x636c_6f63_6865L;

    private static final String ROOM = "process";

    private PostgresMigrations() {}

    /**
     * Programs that come together wait for the first.
     *
     * @throws PostgresException.Newer if the tables are ahead of this program
     * @throws PostgresException.History if their history does not fit it
     */
    static void run(PostgresConfig config) throws SQLException {
        try (Connection connection =
                PostgresConnections.source(config, Duration.ZERO).getConnection()) {
            if (version(connection, config) == VERSION) {
                return;
            }
            // Or else, as a role may be set, what another program has done during the wait for the lock would not be
            // seen.
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                // Until the end of the transaction.
                statement.execute("SELECT pg_advisory_xact_lock(" + LOCK + ")");
                int recorded = version(connection, config);
                if (recorded < VERSION) {
                    migrate(connection, config, recorded);
                }
            }
            connection.commit();
        }
    }

    private static int version(Connection connection, PostgresConfig config) throws SQLException {
        String table = config.schema() + ".process_store";
        if (!exists(connection, table)) {
            return 0;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT max(version) FROM " + table)) {
            row.next();
            int found = row.getInt(1);
            if (found > VERSION) {
                throw new PostgresException.Newer(config.schema(), found, VERSION);
            }
            return found;
        }
    }

    private static void migrate(Connection connection, PostgresConfig config, int recorded) throws SQLException {
        prepare(connection, config);
        String flyway = config.schema() + ".flyway_process";
        MigrationHistory history = new MigrationHistory(
                "process_migration", ROOM, exists(connection, flyway) ? Optional.of(flyway) : Optional.empty());
        try {
            history.bringUpToDate(connection, scripts(), recorded);
        } catch (MigrationException.Newer e) {
            throw new PostgresException.Newer(config.schema(), e.found(), VERSION);
        } catch (MigrationException e) {
            throw new PostgresException.History(config.schema(), e);
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO process_store (version) VALUES (" + VERSION
                    + ") ON CONFLICT (one) DO UPDATE SET version = excluded.version");
        }
    }

    /** Makes the schema and our two tables in it, where they are missing. */
    private static void prepare(Connection connection, PostgresConfig config) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            // A schema may have been made for us, with rights that we could not give ourselves: IF NOT EXISTS would ask
            // for the right to make one all the same.
            if (!isTrue(connection, "to_regnamespace('" + config.schema() + "') IS NOT NULL")) {
                statement.execute("CREATE SCHEMA " + config.schema());
            }
            statement.execute("SET LOCAL search_path TO " + config.schema());
            statement.execute("SET LOCAL synchronous_commit TO on");
            statement.execute("CREATE TABLE IF NOT EXISTS process_store"
                    + " (one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL)");
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS process_migration (room text NOT NULL, version integer NOT NULL,"
                            + " file text NOT NULL, checksum integer NOT NULL, applied_ms bigint NOT NULL,"
                            + " PRIMARY KEY (room, version))");
        }
    }

    private static List<MigrationScript> scripts() {
        return IntStream.rangeClosed(1, VERSION)
                .mapToObj(version -> MigrationScript.load(
                        PostgresMigrations.class.getClassLoader(),
                        "META-INF/cloche/migrations/process-postgres",
                        version,
                        NAMES.get(version - 1)))
                .toList();
    }

    private static boolean exists(Connection connection, String table) throws SQLException {
        return isTrue(connection, "to_regclass('" + table + "') IS NOT NULL");
    }

    private static boolean isTrue(Connection connection, String condition) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT " + condition)) {
            row.next();
            return row.getBoolean(1);
        }
    }
}
