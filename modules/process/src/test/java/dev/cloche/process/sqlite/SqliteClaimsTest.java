package dev.cloche.process.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.catalog.Catalog;
import dev.cloche.process.SqliteProcessStore;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteClaimsTest {
    @TempDir
    Path root;

    @Test
    void workersLookOnlyAtWhatIsFree() {
        try (Catalog catalog = Catalog.open(root, List.of(SqliteProcessStore.schema()))) {
            for (String ranges : List.of(
                    "p.lease_expires IS NOT NULL AND p.lease_epoch = ? AND p.lease_expires <= ? LIMIT ?",
                    "p.lease_expires IS NOT NULL AND p.lease_epoch < ? LIMIT ?",
                    "p.lease_expires IS NULL AND p.pause_until IS NOT NULL AND p.pause_epoch = ? AND p.pause_until <= ? LIMIT ?",
                    "p.lease_expires IS NULL AND p.pause_until IS NULL LIMIT ?",
                    "p.lease_expires IS NULL AND p.pause_until IS NULL AND p.host_profile IN (SELECT value FROM json_each(?))"
                            + " LIMIT ?")) {
                List<String> plan = catalog.read(transaction -> transaction.list(
                        row -> row.getString("detail"), "EXPLAIN QUERY PLAN " + SqliteClaims.CLAIMABLE + ranges));
                assertThat(plan.getFirst()).contains("SEARCH p USING INDEX process_");
            }
        }
    }
}
