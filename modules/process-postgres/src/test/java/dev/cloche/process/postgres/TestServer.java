package dev.cloche.process.postgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;

/**
 * A real PostgreSQL server with a data directory of its own. Unlike the default of such servers for tests, it forces its
 * log to the disk; and it vacuums nothing by itself, for its transactions would hold back the change feed for moments.
 */
final class TestServer implements AutoCloseable {
    private static final String USER = "postgres";
    private static Optional<TestServer> shared = Optional.empty();

    private final Path data;
    private final EmbeddedPostgres server;
    private List<String> command = List.of();
    private Optional<Process> restarted = Optional.empty();

    private TestServer(Path data, EmbeddedPostgres server) {
        this.data = data;
        this.server = server;
    }

    /** The one of all tests that do not harm it; ended with this program. */
    static synchronized TestServer shared() {
        if (shared.isEmpty()) {
            TestServer started = start();
            Runtime.getRuntime().addShutdownHook(new Thread(started::close));
            shared = Optional.of(started);
        }
        return shared.get();
    }

    /** A new one; skips the test where none can be started. */
    static TestServer start() {
        try {
            Path data = Files.createTempDirectory("cloche-postgres");
            return new TestServer(data, launch(data));
        } catch (IOException | RuntimeException e) {
            Assumptions.abort("no PostgreSQL server can be started here: " + e);
            throw new IllegalStateException(e);
        }
    }

    private static EmbeddedPostgres launch(Path data) throws IOException {
        return EmbeddedPostgres.builder()
                .setDataDirectory(data)
                .setCleanDataDirectory(false)
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("autovacuum", "off")
                .setPGStartupWait(Duration.ofSeconds(60))
                .start();
    }

    PostgresConfig config(String schema) {
        return PostgresConfig.of("jdbc:postgresql://localhost:" + server.getPort() + "/postgres", USER, "")
                .withSchema(schema);
    }

    /** The same tables again, without rows. */
    void empty(String schema) throws SQLException {
        execute("DO $$ DECLARE name text; BEGIN"
                + " FOR name IN SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables"
                + " WHERE schemaname = '" + schema + "' AND tablename NOT IN ('process_store', 'process_migration')"
                + " LOOP EXECUTE 'TRUNCATE ' || name; END LOOP;"
                + " IF to_regclass('" + schema + ".process_floor') IS NOT NULL THEN"
                + " INSERT INTO " + schema + ".process_floor DEFAULT VALUES; END IF; END $$");
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(config("x").url(), USER, "");
    }

    /** Kills the server and all of its processes at once. */
    void kill() throws IOException {
        ProcessHandle postmaster = postmaster();
        command = new ArrayList<>(List.of(postmaster.info().command().orElseThrow()));
        command.addAll(List.of(postmaster.info().arguments().orElseThrow()));
        List<ProcessHandle> children = postmaster.children().toList();
        // First the parent, which would otherwise begin to recover.
        postmaster.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
        Awaitility.await()
                .until(() -> !postmaster.isAlive() && children.stream().noneMatch(ProcessHandle::isAlive));
    }

    /** Sends all of its processes a signal. */
    void signal(String name) throws IOException, InterruptedException {
        ProcessHandle postmaster = postmaster();
        if (!signal(postmaster, name)) {
            throw new IOException("the server cannot be sent " + name);
        }
        for (ProcessHandle child : postmaster.children().toList()) {
            // It may have ended by itself.
            var _ = signal(child, name);
        }
    }

    private static boolean signal(ProcessHandle process, String name) throws IOException, InterruptedException {
        return new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                        .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                        .redirectOutput(Redirect.DISCARD)
                        .redirectError(Redirect.DISCARD)
                        .start()
                        .waitFor()
                == 0;
    }

    /** Starts the server again, as it was started before, and so lets it recover; returns before it has. */
    void restart() throws IOException {
        Files.deleteIfExists(data.resolve("postmaster.pid"));
        List<String> start = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            // PostgreSQL refuses to run as root; in a user namespace of its own it is not root.
            start.addAll(List.of("unshare", "-U"));
        }
        start.addAll(command);
        restarted = Optional.of(new ProcessBuilder(start)
                .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD)
                .start());
    }

    private ProcessHandle postmaster() throws IOException {
        long pid = Long.parseLong(
                Files.readAllLines(data.resolve("postmaster.pid")).getFirst());
        return ProcessHandle.of(pid).orElseThrow();
    }

    @Override
    public void close() {
        try {
            if (restarted.isPresent()) {
                kill();
            }
            server.close();
            delete(data);
        } catch (IOException e) {
            System.getLogger(TestServer.class.getName()).log(System.Logger.Level.WARNING, "left over: " + data, e);
        }
    }

    private static void delete(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (var files = Files.walk(directory)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }
}
