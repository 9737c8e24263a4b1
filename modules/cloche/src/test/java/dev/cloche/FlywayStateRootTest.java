package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogSchema;
import dev.cloche.migration.MigrationScript;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** State roots whose catalogs Flyway has brought to each version that there was. */
class FlywayStateRootTest {
    private static final String TABLES = "SELECT name || ' ' || sql FROM sqlite_schema"
            + " WHERE sql IS NOT NULL AND name NOT LIKE 'flyway%' AND name <> 'catalog_room' ORDER BY name";

    @TempDir
    Path root;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void eachIsMigratedToTheTablesOfANewOne(int version) throws Exception {
        makeByFlyway(version);
        List<String> flyway = flywayHistories();
        Catalog.open(root, Rooms.SCHEMAS).close();
        Path fresh = root.resolve("new");
        Catalog.open(fresh, Rooms.SCHEMAS).close();
        assertThat(rows(root, TABLES)).isEqualTo(rows(fresh, TABLES));
        for (CatalogSchema schema : Rooms.SCHEMAS) {
            String history = "SELECT version || file || checksum FROM catalog_migration WHERE room = '" + schema.room()
                    + "' ORDER BY version";
            if (schema.version() > reached(schema, version)) {
                assertThat(rows(root, history)).isEqualTo(rows(fresh, history));
            } else {
                assertThat(rows(root, history)).isEmpty();
            }
        }
        assertThat(flywayHistories()).isEqualTo(flyway);
    }

    @Test
    void roomsThatAreUpToDateAreNotTouched() throws Exception {
        makeByFlyway(8);
        List<CatalogSchema> current = new ArrayList<>();
        for (CatalogSchema schema : Rooms.SCHEMAS) {
            if (reached(schema, 8) == schema.version()) {
                current.add(schema);
            }
        }
        assertThat(current).isNotEmpty();
        Catalog.open(root, current).close();
        assertThat(rows(root, "SELECT name FROM sqlite_schema WHERE name = 'catalog_migration'"))
                .isEmpty();
    }

    private void makeByFlyway(int version) throws Exception {
        try (InputStream histories = Objects.requireNonNull(getClass().getResourceAsStream("flyway-histories.sql"));
                Connection connection = connect(root);
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(new String(histories.readAllBytes(), StandardCharsets.UTF_8));
            statement.executeUpdate(
                    "CREATE TABLE catalog_room (room TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT");
            for (CatalogSchema schema : Rooms.SCHEMAS) {
                int reached = reached(schema, version);
                for (int i = 1; i <= reached; i++) {
                    statement.executeUpdate(MigrationScript.load(
                                    getClass().getClassLoader(),
                                    schema.location(),
                                    i,
                                    schema.migrations().get(i - 1).name())
                            .sql());
                }
                statement.executeUpdate(
                        "DELETE FROM flyway_" + schema.room() + " WHERE CAST(version AS INTEGER) > " + reached);
                statement.executeUpdate("INSERT INTO catalog_room VALUES ('" + schema.room() + "', " + reached + ")");
            }
        }
    }

    /** How far Flyway came with a room: what has been added since, it never saw. */
    private int reached(CatalogSchema schema, int version) throws SQLException {
        String last = "SELECT max(CAST(version AS INTEGER)) FROM flyway_" + schema.room() + " WHERE type = 'SQL'";
        return Math.min(version, Integer.parseInt(rows(root, last).getFirst()));
    }

    private List<String> flywayHistories() throws SQLException {
        List<String> all = new ArrayList<>();
        for (CatalogSchema schema : Rooms.SCHEMAS) {
            all.addAll(rows(
                    root,
                    "SELECT installed_rank || ' ' || version || script || installed_on || checksum FROM flyway_"
                            + schema.room() + " WHERE type = 'SQL' ORDER BY installed_rank"));
        }
        return all;
    }

    private static List<String> rows(Path state, String query) throws SQLException {
        try (Connection connection = connect(state);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            List<String> all = new ArrayList<>();
            while (rows.next()) {
                all.add(rows.getString(1));
            }
            return all;
        }
    }

    private static Connection connect(Path state) throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + state.resolve("catalog.db"));
    }
}
