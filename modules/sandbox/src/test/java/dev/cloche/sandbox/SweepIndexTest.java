package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.catalog.Catalog;
import dev.cloche.sandbox.record.SandboxStore;
import dev.cloche.sandbox.record.SweepStore;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a sweep reads, it finds by indexes: the sandboxes that have long ended cost it nothing. */
class SweepIndexTest {
    @TempDir
    Path root;

    private Catalog catalog;

    @BeforeEach
    void open() {
        catalog = Catalog.open(root, List.of(SandboxStore.SCHEMA));
    }

    @AfterEach
    void close() {
        catalog.close();
    }

    @Test
    void activeSandboxesAndTheirRunsAreFoundByIndexes() {
        assertThat(plan(SweepStore.ACTIVE))
                .hasSize(2)
                .allMatch(step -> step.startsWith("SEARCH"))
                .anyMatch(step -> step.contains("sandbox_active"))
                .anyMatch(step -> step.contains("run_active"));
    }

    @Test
    void endedEphemeralsAreFoundByAnIndex() {
        assertThat(plan(SweepStore.ENDED))
                .filteredOn(step -> step.contains("sandbox"))
                .singleElement()
                .asString()
                .startsWith("SEARCH")
                .contains("sandbox_by_status");
    }

    private List<String> plan(String query) {
        return catalog.read(transaction ->
                transaction.list(row -> row.getString("detail"), "EXPLAIN QUERY PLAN " + query, 0L, 250));
    }
}
