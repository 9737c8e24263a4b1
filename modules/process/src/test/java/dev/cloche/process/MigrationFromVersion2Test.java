package dev.cloche.process;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogException;
import dev.cloche.catalog.CatalogSchema;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A catalog that commit 7fc0b1f wrote, whose tables of processes are of version 2. */
class MigrationFromVersion2Test {
    private static final CatalogSchema SCHEMA = SqliteProcessStore.schema();
    private static final CatalogSchema V2 = new CatalogSchema(
            SCHEMA.room(), SCHEMA.location(), SCHEMA.migrations().subList(0, 2));

    @TempDir
    Path root;

    @BeforeEach
    void copy() throws IOException {
        try (InputStream packed = Objects.requireNonNull(getClass().getResourceAsStream("catalog-v2.db.gz"));
                InputStream file = new GZIPInputStream(packed)) {
            Files.copy(file, root.resolve("catalog.db"));
        }
    }

    @Test
    void whatWasThereIsThereAndItsIdsGoOn() {
        try (Catalog catalog = Catalog.open(root, List.of(SCHEMA));
                ProcessRegistry registry = ProcessRegistry.over(SqliteProcessStore.open(catalog, root))) {
            LegacyData.check(registry);
        }
    }

    @Test
    void aProgramOfVersion2RefusesTheNewTablesAndChangesNothing() {
        Catalog.open(root, List.of(SCHEMA)).close();
        assertThatThrownBy(() -> Catalog.open(root, List.of(V2)))
                .isInstanceOf(CatalogException.Newer.class)
                .hasMessageContaining("process");
        try (Catalog catalog = Catalog.open(root, List.of(SCHEMA));
                ProcessRegistry registry = ProcessRegistry.over(SqliteProcessStore.open(catalog, root))) {
            LegacyData.check(registry);
        }
    }
}
