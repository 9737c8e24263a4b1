package dev.cloche.process;

import static dev.cloche.process.ContractFixture.note;
import static dev.cloche.process.ContractFixture.registration;
import static dev.cloche.process.ContractFixture.success;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.catalog.Catalog;
import dev.cloche.process.testing.InMemoryProcessStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A prune counts in time that no setting of the wall clock moves. */
class PruneClockTest {
    private static final PruneRequest HALF_AN_HOUR = PruneRequest.unusedFor(Duration.ofMinutes(30));

    private final SimulatedClock clock = new SimulatedClock();

    @TempDir
    Path root;

    @Test
    void aStepOfTheWallClockMakesNothingOlderInMemory() {
        try (ProcessRegistry registry = ProcessRegistry.over(new InMemoryProcessStore(clock))) {
            check(registry);
        }
    }

    @Test
    void aStepOfTheWallClockMakesNothingOlderOnSqlite() {
        try (Catalog catalog = Catalog.open(root, List.of(SqliteProcessStore.schema()));
                ProcessRegistry registry = ProcessRegistry.over(SqliteProcessStore.open(catalog, root, clock))) {
            check(registry);
            registry.register(registration("p"));
            registry.complete("p", success(1));
            // Of another boot nobody knows more than the wall clock.
            clock.boot(5);
            assertThat(registry.prune(HALF_AN_HOUR)).isEmpty();
            clock.jump(Duration.ofMinutes(31).toMillis());
            assertThat(registry.prune(HALF_AN_HOUR)).containsExactly("p");
        }
    }

    private void check(ProcessRegistry registry) {
        registry.register(registration("p"));
        registry.complete("p", success(1));
        clock.jump(Duration.ofHours(1).toMillis());
        assertThat(registry.prune(HALF_AN_HOUR)).isEmpty();
        clock.jump(-Duration.ofHours(3).toMillis());
        clock.pass(Duration.ofMinutes(20).toMillis());
        registry.append("p", note(1));
        clock.pass(Duration.ofMinutes(20).toMillis());
        assertThat(registry.prune(HALF_AN_HOUR)).as("something happened to it").isEmpty();
        clock.pass(Duration.ofMinutes(10).toMillis());
        assertThat(registry.prune(HALF_AN_HOUR)).containsExactly("p");
    }
}
