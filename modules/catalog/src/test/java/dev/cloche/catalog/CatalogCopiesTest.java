package dev.cloche.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CatalogCopiesTest {
    private static final List<CatalogSchema> SCHEMAS = List.of(CatalogTest.NOTES_2);
    private static final Instant BIRTH = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir
    Path root;

    private Path file(String name) {
        return root.resolve("catalog.db" + name);
    }

    private void note(String text) {
        try (Catalog catalog = Catalog.open(root, SCHEMAS)) {
            CatalogTest.add(catalog, text);
        }
    }

    private List<String> notes() {
        try (Catalog catalog = Catalog.open(root, SCHEMAS)) {
            return CatalogTest.notes(catalog);
        }
    }

    /** As a sweep does at that time. */
    private boolean renewed(Duration afterBirth) throws IOException {
        Instant now = BIRTH.plus(afterBirth);
        boolean renewed = CatalogMaintenance.renewCopy(root, now);
        if (renewed) {
            Files.setLastModifiedTime(file(".yesterday"), FileTime.from(now));
        }
        return renewed;
    }

    @Test
    void theCopyIsRenewedEachDayAndMoreOftenAtFirst() throws IOException {
        note("first");
        assertThat(renewed(Duration.ZERO)).isTrue();
        assertThat(renewed(Duration.ofMinutes(59))).isFalse();
        assertThat(renewed(Duration.ofHours(1))).isTrue();
        assertThat(renewed(Duration.ofMinutes(119))).isFalse();
        assertThat(renewed(Duration.ofHours(2))).isTrue();
        assertThat(renewed(Duration.ofHours(3))).isFalse();
        assertThat(renewed(Duration.ofDays(3))).isTrue();
        assertThat(renewed(Duration.ofHours(3 * 24 + 23))).isFalse();
        assertThat(renewed(Duration.ofDays(4))).isTrue();
        assertThat(root).isDirectoryNotContaining("glob:**.tmp-*");
    }

    @Test
    void aCopyFromTheFutureIsMadeAnew() throws IOException {
        note("first");
        assertThat(renewed(Duration.ofDays(5))).isTrue();
        assertThat(renewed(Duration.ofDays(1))).isTrue();
    }

    @Test
    void aLostCatalogComesBackFromItsCopy() throws IOException {
        note("kept");
        renewed(Duration.ZERO);
        note("lost");
        Files.delete(file(""));
        note("of the new one");

        assertThat(CatalogMaintenance.copyOfLost(root)).hasValue(file(".yesterday"));
        assertThat(renewed(Duration.ofDays(9)))
                .as("the copy of the lost one stays")
                .isFalse();

        assertThat(CatalogMaintenance.restore(root, Optional.empty(), SCHEMAS)).isEqualTo(file(".yesterday"));
        assertThat(notes()).containsExactly("kept");
        assertThat(CatalogMaintenance.copyOfLost(root)).isEmpty();
        assertThat(file(".replaced")).exists();
        assertThat(renewed(Duration.ofDays(9))).isTrue();
    }

    @Test
    void aDamagedCatalogIsReplacedAndItsLogWithIt() throws IOException {
        note("kept");
        renewed(Duration.ZERO);
        Files.write(file(""), new byte[] {1, 2, 3});
        assertThatThrownBy(this::notes).isInstanceOf(CatalogException.class);
        Files.write(file("-wal"), new byte[] {4, 5, 6});

        CatalogMaintenance.restore(root, Optional.empty(), SCHEMAS);
        assertThat(notes()).containsExactly("kept");
        assertThat(file(".replaced")).hasBinaryContent(new byte[] {1, 2, 3});
        assertThat(file(".replaced-wal")).hasBinaryContent(new byte[] {4, 5, 6});
    }

    @Test
    void aMissingCatalogIsRestoredToo() throws IOException {
        note("kept");
        renewed(Duration.ZERO);
        Files.delete(file(""));
        CatalogMaintenance.restore(root, Optional.empty(), SCHEMAS);
        assertThat(notes()).containsExactly("kept");
    }

    @Test
    void aCatalogThatThisProcessHasOpenIsNotReplaced() throws IOException {
        note("kept");
        renewed(Duration.ZERO);
        try (Catalog catalog = Catalog.open(root, SCHEMAS)) {
            assertThatThrownBy(() -> CatalogMaintenance.restore(root, Optional.empty(), SCHEMAS))
                    .isInstanceOf(CatalogException.InUse.class);
            assertThat(CatalogTest.notes(catalog)).containsExactly("kept");
        }
        CatalogMaintenance.restore(root, Optional.empty(), SCHEMAS);
        assertThat(root).isDirectoryNotContaining("glob:**.tmp-*");
    }

    @Test
    void whatIsNoCopyOfACatalogIsRefusedAndChangesNothing() throws IOException {
        note("kept");
        Path garbage = Files.write(root.resolve("garbage"), new byte[100]);
        assertThatThrownBy(() -> CatalogMaintenance.restore(root, Optional.of(garbage), SCHEMAS))
                .isInstanceOf(CatalogException.Unfit.class);
        Path empty = Files.createFile(root.resolve("empty"));
        assertThatThrownBy(() -> CatalogMaintenance.restore(root, Optional.of(empty), SCHEMAS))
                .isInstanceOf(CatalogException.Unfit.class);
        assertThatThrownBy(() -> CatalogMaintenance.restore(root, Optional.empty(), SCHEMAS))
                .isInstanceOf(CatalogException.Absent.class);
        assertThat(notes()).containsExactly("kept");
        assertThat(root).isDirectoryNotContaining("glob:**.tmp-*");
    }
}
