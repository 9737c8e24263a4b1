package dev.cloche.process.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.process.LegacyData;
import dev.cloche.process.ProcessQuery;
import dev.cloche.process.ProcessRegistry;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class PostgresMigrationsTest {
    private final TestServer server = TestServer.shared();

    @Test
    void thoseWhoOpenANewDatabaseTogetherMigrateItOnce() throws Exception {
        PostgresConfig config = server.config("together").withConnections(1);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> opened = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                opened.add(threads.submit(() -> {
                    try (ProcessRegistry registry = ProcessRegistry.over(PostgresProcessStore.open(config))) {
                        return registry.list(new ProcessQuery(false, Optional.empty(), 1))
                                .size();
                    }
                }));
            }
            for (Future<Integer> each : opened) {
                assertThat(each.get()).isZero();
            }
        }
        try (var connection = server.connect();
                var statement = connection.createStatement();
                var rows = statement.executeQuery(
                        "SELECT count(*) FROM together.process_migration WHERE version = 1 AND applied_ms > 0")) {
            rows.next();
            assertThat(rows.getInt(1)).isEqualTo(1);
        }
    }

    @Test
    void tablesOfANewerProgramAreLeftAlone() throws Exception {
        PostgresConfig config = server.config("newer");
        PostgresProcessStore.open(config).close();
        server.execute("UPDATE newer.process_store SET version = 99");
        assertThatThrownBy(() -> PostgresProcessStore.open(config)).isInstanceOf(PostgresException.Newer.class);
    }

    @Test
    void aHistoryThatWasEditedIsRefusedAndTheTablesAreLeftAlone() throws Exception {
        PostgresConfig config = server.config("edited");
        PostgresProcessStore.open(config).close();
        server.execute("UPDATE edited.process_migration SET checksum = 7 WHERE version = 1;"
                + " UPDATE edited.process_store SET version = 1");
        assertThatThrownBy(() -> PostgresProcessStore.open(config))
                .isInstanceOf(PostgresException.History.class)
                .hasMessageContaining("schema edited")
                .hasMessageContaining("V1__process.sql was applied with the checksum 7,");
    }

    @Test
    void aRoleThatMayMakeNoSchemaUsesTheOneThatWasMadeForIt() throws Exception {
        server.execute("CREATE ROLE guest LOGIN; CREATE SCHEMA given AUTHORIZATION guest;"
                + " ALTER ROLE guest SET default_transaction_isolation TO 'serializable'");
        PostgresConfig config =
                PostgresConfig.of(server.config("given").url(), "guest", "").withSchema("given");
        PostgresProcessStore.open(config).close();
        server.execute("DROP SCHEMA given CASCADE; DROP ROLE guest");
    }

    @Test
    void whatCommit7fc0b1fWroteIsThereAndItsIdsGoOn() throws Exception {
        String script;
        try (InputStream tables = Objects.requireNonNull(getClass().getResourceAsStream("tables-v1.sql"))) {
            script = new String(tables.readAllBytes(), StandardCharsets.UTF_8);
        }
        server.execute(script);
        // As after every restore into another cluster.
        server.execute("UPDATE before.process_change SET horizon = '3'");
        try (ProcessRegistry registry = ProcessRegistry.over(PostgresProcessStore.open(server.config("before")))) {
            LegacyData.check(registry);
        }
        try (var connection = server.connect();
                var statement = connection.createStatement();
                var rows = statement.executeQuery(
                        "SELECT string_agg(m.version || ' ' || m.file || ' ' || (m.applied_ms = 0), ', ' ORDER BY m.version)"
                                + " || ', ' || (SELECT count(*) FROM before.flyway_process) FROM before.process_migration m")) {
            rows.next();
            assertThat(rows.getString(1))
                    .isEqualTo("1 V1__process.sql true, 2 V2__lives_pauses_and_bounds.sql false, 2");
        }
        server.execute("DROP SCHEMA before CASCADE");
    }
}
