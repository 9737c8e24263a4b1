package dev.cloche.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Catalogs that Flyway 13.12 migrated for an earlier Cloche: dumps of real ones. */
class FlywayCatalogTest {
    private static final List<CatalogSchema> VERSION_1 = List.of(CatalogTest.NOTES_1);
    private static final List<CatalogSchema> VERSION_2 = List.of(CatalogTest.NOTES_2);
    private static final String V1 = "1 V1__notes.sql 1519443166";
    private static final String V2 = "2 V2__tags.sql 605522850";

    @TempDir
    Path root;

    @Test
    void aHistoryIsCarriedOverWithTheFirstMigrationAndFlywaysTableStays() throws Exception {
        make(root, 1);
        List<String> flyway = flyway(root);
        for (int again = 0; again < 2; again++) {
            try (Catalog catalog = Catalog.open(root, VERSION_2)) {
                assertThat(CatalogTest.notes(catalog)).containsExactly("of Flyway");
            }
            assertThat(history(root)).containsExactly(V1, V2);
            assertThat(rows(root, "SELECT version FROM catalog_migration WHERE applied_ms = 0"))
                    .containsExactly("1");
            assertThat(flyway(root)).isEqualTo(flyway);
        }
    }

    @Test
    void anUpToDateCatalogIsLeftAsItIs() throws Exception {
        make(root, 2);
        byte[] before = Files.readAllBytes(root.resolve("catalog.db"));
        try (Catalog catalog = Catalog.open(root, VERSION_2)) {
            assertThat(CatalogTest.notes(catalog)).containsExactly("of Flyway");
        }
        assertThat(root.resolve("catalog.db")).hasBinaryContent(before);
    }

    @Test
    void aMigrationThatFlywayMadeIsNotMadeAgainWhereItsProcessDiedBeforeItRecordedTheVersion() throws Exception {
        make(root, 2, "UPDATE catalog_room SET version = 1");
        Catalog.open(root, VERSION_2).close();
        assertThat(history(root)).containsExactly(V1, V2);
        assertThat(rows(root, "SELECT version FROM catalog_room")).containsExactly("2");
    }

    @Test
    void whatANewerProgramMigratedByFlywayIsRefusedThoughItsVersionWasNotRecorded() throws Exception {
        make(root, 2, "DELETE FROM catalog_room");
        assertThatThrownBy(() -> Catalog.open(root, VERSION_1))
                .isInstanceOf(CatalogException.Newer.class)
                .hasMessageContaining("version 2")
                .hasMessageContaining("up to 1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "UPDATE flyway_notes SET success = 0 WHERE version = '1' | entry 2 of Flyway's table",
                "UPDATE flyway_notes SET version = '1.1' WHERE version = '1' | entry 2 of Flyway's table",
                "UPDATE flyway_notes SET type = 'JDBC' WHERE version = '1' | entry 2 of Flyway's table",
                "UPDATE flyway_notes SET checksum = 7 WHERE version = '1' | V1__notes.sql was applied with the checksum 7,",
                "UPDATE flyway_notes SET version = '2' WHERE version = '1' | it has 2 where 1 should stand",
                "DELETE FROM flyway_notes | version 1 is recorded, and the history ends with 0",
                "DROP TABLE flyway_notes | version 1 is recorded, and the history ends with 0"
            })
    void aHistoryThatWasDamagedOrEditedIsRefusedAndTheCatalogIsLeftAlone(String damage, String why) throws Exception {
        make(root, 1, damage);
        assertThatThrownBy(() -> Catalog.open(root, VERSION_2))
                .isInstanceOfSatisfying(
                        CatalogException.History.class,
                        e -> assertThat(e.code()).isEqualTo("catalog.history"))
                .hasMessageContaining("room 'notes'")
                .hasMessageContaining(why);
        assertThat(rows(root, "SELECT name FROM sqlite_schema WHERE name IN ('tag', 'catalog_migration')"))
                .isEmpty();
    }

    @Test
    void aHistoryOfOursThatDoesNotFitIsRefused() throws Exception {
        Catalog.open(root, VERSION_1).close();
        execute(root, "UPDATE catalog_migration SET checksum = 7");
        assertThatThrownBy(() -> Catalog.open(root, VERSION_2))
                .isInstanceOf(CatalogException.History.class)
                .hasMessageContaining("checksum 7");
        execute(root, "DELETE FROM catalog_migration");
        assertThatThrownBy(() -> Catalog.open(root, VERSION_2))
                .isInstanceOf(CatalogException.History.class)
                .hasMessageContaining("version 1 is recorded");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void processesThatOpenItTogetherCarryItOverOnce(int version) throws Exception {
        if (version > 0) {
            make(root, version);
        }
        List<Process> processes = new ArrayList<>();
        try {
            for (int i = 0; i < 2; i++) {
                processes.add(start(List.of(), root, "p" + i, 1));
            }
            for (Process process : processes) {
                BufferedReader output = process.inputReader();
                assertThat(output.readLine()).isEqualTo("ready");
            }
            for (Process process : processes) {
                process.outputWriter().close();
            }
            for (Process process : processes) {
                assertThat(process.waitFor()).isZero();
            }
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
        assertThat(history(root)).containsExactly(V1, V2);
        assertThat(rows(root, "SELECT count(*) FROM note")).containsExactly(Integer.toString(version + 2));
    }

    /** strace kills it at a write to the log of the database, or at the sync behind the last one. */
    @Test
    void aProcessThatIsKilledLeavesTheCatalogAsItWasBeforeOrAsItIsAfter() throws Exception {
        Path whole = Files.createDirectory(root.resolve("whole"));
        make(whole, 1);
        Path trace = root.resolve("trace");
        assertThat(traced(whole, trace, List.of("-e", "trace=pwrite64,fsync,fdatasync")))
                .as("exit code, or strace may not trace here")
                .isZero();
        List<String> calls = Files.readAllLines(trace);
        int writes = Math.toIntExact(
                calls.stream().filter(call -> call.contains("pwrite64(")).count());
        assertThat(writes).isGreaterThan(4);
        String sync = calls.stream().anyMatch(call -> call.contains("fdatasync(")) ? "fdatasync" : "fsync";
        for (String kill : List.of("pwrite64:1", "pwrite64:" + writes / 2, "pwrite64:" + writes, sync + ":1")) {
            String call = kill.substring(0, kill.indexOf(':'));
            Path killed = Files.createDirectory(root.resolve(kill.replace(':', '-')));
            make(killed, 1);
            String when = kill.substring(kill.indexOf(':') + 1);
            assertThat(traced(
                            killed,
                            trace,
                            List.of("-e", "trace=" + call, "-e", "inject=" + call + ":signal=KILL:when=" + when)))
                    .as(kill)
                    .isNotZero();
            List<String> tables =
                    rows(killed, "SELECT name FROM sqlite_schema WHERE name IN ('tag', 'catalog_migration')");
            List<String> versions = rows(killed, "SELECT version FROM catalog_room");
            assertThat(List.of(tables.size(), versions)).isIn(List.of(0, List.of("1")), List.of(2, List.of("2")));
            Catalog.open(killed, VERSION_2).close();
            assertThat(history(killed)).as(kill).containsExactly(V1, V2);
        }
    }

    private static int traced(Path state, Path trace, List<String> options) throws Exception {
        List<String> strace = new ArrayList<>(List.of("strace", "-f", "-qq", "-o", trace.toString()));
        strace.addAll(List.of("-P", state.resolve("catalog.db-wal").toString()));
        strace.addAll(options);
        try {
            return start(strace, state, "killed", 0).waitFor();
        } catch (IOException e) {
            Assumptions.abort("strace is not installed: " + e.getMessage());
            throw e;
        }
    }

    private static Process start(List<String> before, Path state, String name, int notes) throws IOException {
        List<String> command = new ArrayList<>(before);
        command.addAll(ChildJvm.command(CatalogProcess.class, state.toString(), name, Integer.toString(notes)));
        return new ProcessBuilder(command).redirectError(Redirect.DISCARD).start();
    }

    /** The last connection that closes it moves the log into the file. */
    private static void make(Path state, int version, String... changes) throws Exception {
        Path file = state.resolve("catalog.db");
        CatalogMigrations.createForOwner(file);
        try (InputStream dump = Objects.requireNonNull(
                        FlywayCatalogTest.class.getResourceAsStream("flyway/notes-" + version + ".sql"));
                SqliteConnection connection = SqliteConnection.copying(file)) {
            connection.transaction().list(row -> row.getString(1), "PRAGMA journal_mode=WAL");
            connection.execute(new String(dump.readAllBytes(), StandardCharsets.UTF_8));
            for (String change : changes) {
                connection.execute(change);
            }
        }
    }

    private static void execute(Path state, String sql) throws SQLException {
        try (SqliteConnection connection = SqliteConnection.copying(state.resolve("catalog.db"))) {
            connection.execute(sql);
        }
    }

    private static List<String> history(Path state) throws SQLException {
        return rows(state, "SELECT version || ' ' || file || ' ' || checksum FROM catalog_migration ORDER BY version");
    }

    private static List<String> flyway(Path state) throws SQLException {
        return rows(
                state,
                "SELECT concat_ws('|', installed_rank, version, description, type, script, checksum, installed_by,"
                        + " installed_on, execution_time, success) FROM flyway_notes ORDER BY installed_rank");
    }

    private static List<String> rows(Path state, String query) throws SQLException {
        try (SqliteConnection connection = SqliteConnection.copying(state.resolve("catalog.db"))) {
            return connection.transaction().list(row -> row.getString(1), query);
        }
    }
}
