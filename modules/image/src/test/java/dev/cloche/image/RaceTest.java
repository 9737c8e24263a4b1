package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.catalog.CatalogMaintenance;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that pull, start, remove, prune, tag and load images which share layers: none meets an error that a user
 * would not expect, nothing that is held goes away, and nothing is left at the end.
 */
class RaceTest {
    private static final int PROCESSES = 8;
    private static final Duration STARTING = Duration.ofMinutes(2);

    @TempDir
    Path directory;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void end() {
        started.forEach(Process::destroyForcibly);
    }

    @Test
    void processesDoNotHarmEachOther() throws Exception {
        race(Duration.ofSeconds(4), 1);
    }

    @Tag("slow")
    @Test
    void processesDoNotHarmEachOtherForAMinute() throws Exception {
        race(Duration.ofMinutes(1), 2);
    }

    private void race(Duration time, long seed) throws Exception {
        Path layout = ThreeImages.writeLayout(Files.createDirectory(directory.resolve("layout")));
        Shell.run(layout, "tar -cf ../b.tar .");
        Path root = directory.resolve("root");
        for (int i = 0; i < PROCESSES; i++) {
            started.add(JavaProcess.start(
                    RaceProcess.class,
                    Map.of(),
                    directory.resolve("output-" + i),
                    root.toString(),
                    layout.toString(),
                    "process-" + i,
                    Long.toString(seed * PROCESSES + i),
                    time.toString()));
        }
        for (int i = 0; i < PROCESSES; i++) {
            boolean ended = started.get(i).waitFor(time.plus(STARTING).toSeconds(), TimeUnit.SECONDS);
            String output = Files.readString(directory.resolve("output-" + i));
            assertThat(ended).as("it hangs: " + output).isTrue();
            assertThat(output).contains("done: ").doesNotContain("done: 0 steps");
            assertThat(started.get(i).exitValue()).as(output).isZero();
        }
        try (StoreFixture fixture = ThreeImages.open(root, layout)) {
            assertThat(CatalogMaintenance.problems(root.resolve("state"))).isEmpty();
            assertThat(fixture.store.check()).allMatch(problem -> problem.kind() == CacheProblem.Kind.ORPHAN);
            fixture.store.prune(ImagePruneRequest.everything());
            assertThat(fixture.store.list()).isEmpty();
            assertThat(fixture.files()).isEmpty();
        }
    }
}
