package dev.cloche.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CatalogMaintenanceTest {
    @TempDir
    Path root;

    @Test
    void aBackupOfACatalogThatIsBeingWrittenIsACatalogAsOfOneMoment() throws IOException {
        Path target = root.resolve("backup.db");
        try (Catalog catalog = Catalog.open(root, List.of(CatalogTest.NOTES_2))) {
            CatalogTest.add(catalog, "committed");
            catalog.write(transaction -> {
                transaction.update("INSERT INTO note (text) VALUES ('unfinished')");
                CatalogMaintenance.backup(root, target);
                return 1;
            });
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(target)))
                .isEqualTo("rw-------");
        Path elsewhere = Files.createDirectory(root.resolve("elsewhere"));
        Files.move(target, elsewhere.resolve("catalog.db"));
        try (Catalog catalog = Catalog.open(elsewhere, List.of(CatalogTest.NOTES_2))) {
            assertThat(CatalogTest.notes(catalog)).containsExactly("committed");
            assertThat(catalog.<List<String>, RuntimeException>read(
                            transaction -> transaction.list(row -> row.getString(1), "PRAGMA journal_mode")))
                    .containsExactly("wal");
        }
        assertThat(root).isDirectoryNotContaining("glob:**.tmp-*");
    }

    @Test
    void aBackupReplacesNoFile() throws IOException {
        Catalog.open(root, List.of(CatalogTest.NOTES_2)).close();
        Path target = Files.writeString(root.resolve("mine"), "precious");
        assertThatThrownBy(() -> CatalogMaintenance.backup(root, target))
                .isInstanceOf(CatalogException.TargetExists.class)
                .hasMessageContaining("mine");
        assertThat(target).hasContent("precious");
    }

    @Test
    void aDirectoryWithoutACatalogGetsNone() {
        assertThatThrownBy(() -> CatalogMaintenance.backup(root, root.resolve("b")))
                .isInstanceOf(CatalogException.Absent.class);
        assertThatThrownBy(() -> CatalogMaintenance.problems(root)).isInstanceOf(CatalogException.Absent.class);
        assertThat(CatalogMaintenance.due(root, List.of(CatalogTest.NOTES_2))).hasSize(2);
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void whatIsDueIsToldBeforeItIsDoneAndNothingIsChanged() {
        Catalog.open(root, List.of(CatalogTest.NOTES_1)).close();
        assertThat(CatalogMaintenance.due(root, List.of(CatalogTest.NOTES_2)))
                .containsExactly(
                        new DueMigration("notes", 2, CatalogSchema.Migration.changing("tags", "tags", false, true)));
        assertThat(CatalogMaintenance.due(root, List.of(CatalogTest.NOTES_1))).isEmpty();
        Catalog.open(root, List.of(CatalogTest.NOTES_2)).close();
        assertThatThrownBy(() -> CatalogMaintenance.due(root, List.of(CatalogTest.NOTES_1)))
                .isInstanceOf(CatalogException.Newer.class);
    }

    @Test
    void aRowThatNamesAMissingRowIsFound() throws Exception {
        try (Catalog catalog = Catalog.open(root, List.of(CatalogTest.NOTES_2))) {
            CatalogTest.add(catalog, "one");
            assertThat(CatalogMaintenance.problems(root)).isEmpty();
        }
        try (SqliteConnection careless = SqliteConnection.copying(root.resolve("catalog.db"))) {
            careless.transaction().update("INSERT INTO tag (note_id, name) VALUES (99, 'orphan')");
        }
        assertThat(CatalogMaintenance.problems(root))
                .singleElement()
                .asString()
                .contains("tag")
                .contains("note");
    }

    @Test
    void aDamagedPageIsFound() throws IOException {
        try (Catalog catalog = Catalog.open(root, List.of(CatalogTest.NOTES_2))) {
            for (int i = 0; i < 500; i++) {
                String text = "note " + i + " ".repeat(100);
                catalog.write(transaction -> transaction.update("INSERT INTO note (text) VALUES (?)", text));
            }
        }
        try (RandomAccessFile file =
                new RandomAccessFile(root.resolve("catalog.db").toFile(), "rw")) {
            file.seek(file.length() - 3 * 4096);
            file.write(new byte[4096]);
        }
        try {
            assertThat(CatalogMaintenance.problems(root)).isNotEmpty();
        } catch (CatalogException.Corrupt alsoRight) {
            assertThat(alsoRight).hasMessageContaining("damaged");
        }
    }
}
