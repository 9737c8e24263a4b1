package dev.cloche.process;

import static dev.cloche.process.ContractFixture.registration;
import static dev.cloche.process.ContractFixture.success;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.catalog.Catalog;
import dev.cloche.process.store.ProcessStore;
import dev.cloche.process.store.StoreClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqlitePruneClockTest extends PruneClockContract {
    @TempDir
    Path root;

    private Catalog catalog;

    @BeforeEach
    void openCatalog() {
        catalog = Catalog.open(root, List.of(SqliteProcessStore.schema()));
    }

    @AfterEach
    void closeCatalog() {
        catalog.close();
    }

    @Override
    protected ProcessStore open(StoreClock time) {
        return SqliteProcessStore.open(catalog, root, time);
    }

    @Test
    void ofAnotherBootTheWallClockAloneTells() {
        try (ProcessRegistry registry = ProcessRegistry.over(open(clock))) {
            registry.register(registration("p"));
            registry.complete("p", success(1));
            clock.boot(5);
            assertThat(registry.prune(HALF_AN_HOUR)).isEmpty();
            clock.jump(Duration.ofMinutes(31).toMillis());
            assertThat(registry.prune(HALF_AN_HOUR)).containsExactly("p");
        }
    }
}
