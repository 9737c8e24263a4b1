package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.InstalledShare;
import dev.cloche.catalog.CatalogException;
import dev.cloche.process.ProcessStatus;
import dev.cloche.sandbox.TemplateMaking;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** State roots that a later Cloche has migrated, used by this one. */
@Timeout(1200)
class NewerStateRootIT {
    @TempDir
    Path home;

    private ClocheOptions options;

    @BeforeEach
    void configure() {
        Path share = InstalledShare.require();
        options = ClocheOptions.ofEnvironment()
                .withHome(home)
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never());
    }

    @Test
    void allWorksWhereTheLaterMigrationsOnlyAdded() throws Exception {
        try (Cloche cloche = Cloche.open(options)) {
            start(cloche, "earlier");
            addColumnsToAllTables();
            assertThat(greeting(cloche, "earlier")).isEqualTo("earlier\n");
        }
        try (Cloche cloche = Cloche.open(options)) {
            assertThat(greeting(cloche, "earlier")).isEqualTo("earlier\n");
            start(cloche, "later");
            assertThat(greeting(cloche, "later")).isEqualTo("later\n");
            cloche.driveCommands();
            String durable = cloche.processes().command("later", "true").start().id();
            assertThat(cloche.processes()
                            .await(durable, Duration.ofMinutes(5))
                            .orElseThrow()
                            .status())
                    .isEqualTo(ProcessStatus.COMPLETED);
            cloche.sandboxes().remove("earlier", true);
            cloche.sandboxes().remove("later", true);
            assertThat(cloche.images().list()).hasSize(1);
        }
        try (Connection connection = connect()) {
            // The later Cloche finds its versions as it has left them.
            assertThat(texts(connection, "SELECT room FROM catalog_room WHERE version = usable_from"))
                    .isEmpty();
        }
    }

    @Test
    void itIsRefusedWhereALaterMigrationExcludesThisProgram() throws Exception {
        Cloche.open(options).close();
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE catalog_room SET version = 901, usable_from = 900 WHERE room = 'sandbox'");
        }
        int known = Rooms.SCHEMAS.stream()
                .filter(schema -> schema.room().equals("sandbox"))
                .findFirst()
                .orElseThrow()
                .version();
        assertThatThrownBy(() -> Cloche.open(options).close())
                .isInstanceOf(CatalogException.Newer.class)
                .hasMessageContaining("version 901")
                .hasMessageContaining("know version 900")
                .hasMessageContaining("up to " + known);
    }

    private void addColumnsToAllTables() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String table : texts(
                    connection,
                    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
                            + " AND name NOT LIKE 'catalog_migration'")) {
                statement.executeUpdate("ALTER TABLE " + table + " ADD COLUMN later TEXT NOT NULL DEFAULT 'x'");
            }
            statement.executeUpdate("UPDATE catalog_room SET usable_from = version");
            statement.executeUpdate("UPDATE catalog_room SET version = version + 1");
        }
    }

    private static void start(Cloche cloche, String name) {
        cloche.sandbox("base")
                .name(name)
                .memoryMib(256)
                .command("sleep", "600")
                .detached()
                .start();
    }

    private static String greeting(Cloche cloche, String name) {
        try (Sandbox sandbox = cloche.connect(name)) {
            return sandbox.exec("echo", name).stdoutText();
        }
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + home.resolve("catalog.db"));
    }

    private static List<String> texts(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            List<String> all = new ArrayList<>();
            while (rows.next()) {
                all.add(rows.getString(1));
            }
            return all;
        }
    }
}
