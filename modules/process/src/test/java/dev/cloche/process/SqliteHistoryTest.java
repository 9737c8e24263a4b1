package dev.cloche.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.catalog.Catalog;
import dev.cloche.process.store.ProcessStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random histories, see {@link HistorySimulator}. */
class SqliteHistoryTest {
    private static final int STEPS = 60;

    @TempDir
    Path directory;

    @Test
    void noHistoryBreaksAPromise() throws Exception {
        for (long seed = 0; seed < 40; seed++) {
            Path root = Files.createDirectory(directory.resolve("state" + seed));
            SimulatedClock clock = new SimulatedClock();
            try (Catalog catalog = Catalog.open(root, List.of(SqliteProcessStore.schema()));
                    ProcessStore store = SqliteProcessStore.open(catalog, root, clock)) {
                assertThat(new HistorySimulator(seed, store, clock, true).run(STEPS))
                        .as("history of seed %d", seed)
                        .isEmpty();
            }
        }
    }
}
