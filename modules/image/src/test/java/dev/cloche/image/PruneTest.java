package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.TestClock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PruneTest {
    private static final Map<String, String> SHARED = Map.of("bin/sh", "shell");

    @TempDir
    Path root;

    private final TestClock clock = new TestClock();
    private ScriptedRegistry registry;
    private StoreFixture fixture;
    private ImageReference first;
    private ImageReference second;

    @BeforeEach
    void start() throws IOException {
        registry = new ScriptedRegistry();
        fixture = StoreFixture.at(root, clock);
        first = registry.serve("app", "1", image("one"));
        second = registry.serve("app", "2", image("two"));
    }

    @AfterEach
    void stop() {
        fixture.close();
        registry.close();
    }

    @Test
    void whatHasHoldersStaysAndTheRestGoesWithAnExactReport() throws IOException {
        fixture.acquire(first, "a");
        List<String> needed = fixture.files();
        long neededBytes = bytes();
        fixture.pull(second);
        long before = bytes();

        ImagePruneReport report = fixture.store.prune(ImagePruneRequest.everything());

        assertThat(fixture.files()).isEqualTo(needed);
        assertThat(report).isEqualTo(new ImagePruneReport(List.of(second), 1, 1, 1, 1, before - neededBytes));
        assertThat(fixture.store.list()).extracting(ImageSummary::reference).containsExactly(first);
        assertThat(fixture.store.check()).isEmpty();

        fixture.store.release(StoreFixture.holder("a"));
        assertThat(fixture.store.prune(ImagePruneRequest.everything()))
                .isEqualTo(new ImagePruneReport(List.of(first), 1, 2, 1, 1, neededBytes));
        assertThat(fixture.files()).isEmpty();
        assertThat(fixture.store.prune(ImagePruneRequest.everything()))
                .isEqualTo(new ImagePruneReport(List.of(), 0, 0, 0, 0, 0));
    }

    @Test
    void aUseIsRecordedToTheMinute() {
        fixture.acquire(first, "a");
        Instant used = fixture.store.get(first).lastUsedAt();
        clock.forward(Duration.ofMinutes(1));
        fixture.acquire(first, "b");
        assertThat(fixture.store.get(first).lastUsedAt()).isEqualTo(used);
        clock.forward(Duration.ofMillis(1));
        fixture.acquire(first, "c");
        assertThat(fixture.store.get(first).lastUsedAt()).isEqualTo(clock.instant());
        // What a clock says that was wrong does not stay.
        clock.back(Duration.ofHours(1));
        fixture.acquire(first, "d");
        assertThat(fixture.store.get(first).lastUsedAt()).isEqualTo(clock.instant());
    }

    @Test
    void aPlanIsWhatThePruneThenDoesAndChangesNothing() throws IOException {
        fixture.acquire(first, "a");
        fixture.pull(second);
        clock.forward(Duration.ofMinutes(1));
        fixture.pull(registry.serve("other", "1", image("three")));
        // The same layers and config under another manifest: each file is counted once.
        fixture.pull(registry.serve("other", "2", image("two").layer(TestImage.Compression.ZSTD, Map.of("x", "y"))));
        fixture.store.release(StoreFixture.holder("a"));
        Files.writeString(fixture.cache.resolve("layers/" + "0123456789abcdef".repeat(4) + ".erofs"), "12345");
        for (ImagePruneRequest request :
                List.of(keep(bytes()), keep(bytes() - 6), keep(bytes() - 10_000), ImagePruneRequest.everything())) {
            List<String> files = fixture.files();
            List<ImageSummary> images = fixture.store.list();
            ImagePruneReport plan = fixture.store.prunePlan(request);
            assertThat(fixture.files()).isEqualTo(files);
            assertThat(fixture.store.list()).isEqualTo(images);
            assertThat(fixture.store.prune(request)).isEqualTo(plan);
        }
        assertThat(fixture.files()).isEmpty();
    }

    @Test
    void anImageThatIsHeldUnderOneNameKeepsItsOtherNames() {
        ImageReference other = ImageReference.parse("mine:1");
        fixture.acquire(first, "a");
        fixture.store.tag(first, other);
        assertThat(fixture.store.prune(ImagePruneRequest.everything()).references())
                .isEmpty();
        assertThat(fixture.store.list()).extracting(ImageSummary::reference).containsExactlyInAnyOrder(first, other);
    }

    @Test
    void onlyWhatWasNotUsedForSoLongGoes() {
        fixture.pull(first);
        clock.forward(Duration.ofHours(2));
        fixture.pull(second);
        ImagePruneRequest old = new ImagePruneRequest(Duration.ofHours(1), OptionalLong.empty());
        assertThat(fixture.store.prune(old).references()).containsExactly(first);
        clock.forward(Duration.ofHours(2));
        // A start is a use.
        fixture.acquire(second, "a");
        fixture.store.release(StoreFixture.holder("a"));
        assertThat(fixture.store.prune(old).references()).isEmpty();
    }

    @Test
    void whatWasUsedInTheFutureCountsAsUsedNow() {
        clock.forward(Duration.ofDays(400));
        fixture.pull(first);
        clock.forward(Duration.ofDays(-400));
        ImagePruneRequest old = new ImagePruneRequest(Duration.ofHours(1), OptionalLong.empty());
        assertThat(fixture.store.prunePlan(ImagePruneRequest.everything()).references())
                .containsExactly(first);
        assertThat(fixture.store.prune(old).references()).isEmpty();
        clock.forward(Duration.ofHours(2));
        assertThat(fixture.store.prune(old).references()).containsExactly(first);
        clock.forward(Duration.ofDays(400));
        fixture.pull(second);
        clock.forward(Duration.ofDays(-400));
        assertThat(fixture.store.prune(ImagePruneRequest.everything()).references())
                .containsExactly(second);
    }

    @Test
    void theLeastRecentlyUsedGoUntilTheRestIsSmallEnough() throws IOException {
        fixture.pull(first);
        clock.forward(Duration.ofMinutes(1));
        fixture.pull(second);
        clock.forward(Duration.ofMinutes(1));
        fixture.acquire(first, "a");
        fixture.store.release(StoreFixture.holder("a"));
        long all = bytes();

        assertThat(fixture.store.prune(keep(all)).references()).isEmpty();
        assertThat(fixture.store.prune(keep(all - 1)).references()).containsExactly(second);
        assertThat(fixture.store.prune(keep(0)).references()).containsExactly(first);
    }

    @Test
    void noMoreGoesThanTheSizeAsksForAndThePlanKnowsIt() throws IOException {
        fixture.pull(second);
        fixture.pull(registry.serve("app", "3", image("three")));
        long withoutFirst = bytes();
        clock.forward(Duration.ofMinutes(-1));
        fixture.pull(first);
        clock.forward(Duration.ofMinutes(2));
        long all = bytes();
        assertThat(fixture.store.prunePlan(keep(all)).references()).isEmpty();
        ImagePruneReport plan = fixture.store.prunePlan(keep(withoutFirst));
        assertThat(plan.references()).containsExactly(first);
        assertThat(plan.bytes()).isEqualTo(all - withoutFirst);
        assertThat(fixture.store.prune(keep(withoutFirst))).isEqualTo(plan);
        assertThat(bytes()).isEqualTo(withoutFirst);
    }

    @Test
    void asManyGoAsTheSizeAsksFor() throws IOException {
        ImageReference last =
                registry.serve("other", "1", new TestImage().layer(TestImage.Compression.GZIP, Map.of("a", "b")));
        fixture.pull(last);
        long withoutTheOthers = bytes();
        clock.forward(Duration.ofMinutes(-1));
        List<ImageReference> older = List.of(first, second, registry.serve("app", "3", image("three")));
        older.forEach(fixture::pull);
        clock.forward(Duration.ofMinutes(2));
        assertThat(fixture.store.prune(keep(withoutTheOthers)).references()).containsExactlyInAnyOrderElementsOf(older);
        assertThat(bytes()).isEqualTo(withoutTheOthers);
    }

    /** As a pull leaves it that was killed between the row of a layer and that of its image. */
    @Test
    void aLayerWithoutAnImageGoesAndThePlanCountsIt() throws IOException {
        fixture.acquire(first, "a");
        List<String> sound = fixture.files();
        String hex = "ab".repeat(32);
        fixture.catalog.write(transaction -> transaction.update(
                "INSERT INTO layer (diff_id, erofs_size, created_at, last_used_at) VALUES (?, 5, 0, 0)",
                "sha256:" + hex));
        Files.writeString(fixture.cache.resolve("layers/" + hex + ".v1.erofs"), "12345");
        ImagePruneReport plan = fixture.store.prunePlan(ImagePruneRequest.everything());
        assertThat(plan).isEqualTo(new ImagePruneReport(List.of(), 0, 1, 0, 0, 5));
        assertThat(fixture.store.prune(ImagePruneRequest.everything())).isEqualTo(plan);
        assertThat(fixture.files()).isEqualTo(sound);
    }

    @Test
    void sizeIsNoReasonToTakeWhatIsHeld() {
        fixture.acquire(first, "a");
        assertThat(fixture.store.prune(keep(0)).references()).isEmpty();
    }

    @Test
    void filesWithoutRowsAreCollectedAndForeignOnesLeftAlone() throws IOException {
        fixture.acquire(first, "a");
        List<String> sound = fixture.files();
        String nobody = "0123456789abcdef".repeat(4);
        for (String orphan : List.of(
                "layers/" + nobody + ".v1.erofs",
                "layers/" + nobody + ".erofs",
                "layers/" + nobody + ".v0.erofs",
                "blobs/" + nobody + ".blob",
                "fsmeta/" + nobody + ".v1.erofs",
                "vmdk/" + nobody + ".v1.vmdk",
                "vmdk/.tmp-123-" + nobody + ".v1.vmdk",
                "manifests/" + nobody + ".json",
                "manifests/.tmp-123-" + nobody + ".json",
                "tmp/.tmp-123-spool",
                "tmp/.tmp-123-layer-" + nobody,
                "tmp/.tmp-123-manifest-" + nobody)) {
            Files.writeString(fixture.cache.resolve(orphan), "12345");
        }
        List<String> others = List.of("layers/" + nobody + ".v2.erofs", "layers/notes.txt");
        for (String other : others) {
            Files.writeString(fixture.cache.resolve(other), "theirs");
        }
        assertThat(fixture.store.check()).hasSize(12);

        ImagePruneReport report = fixture.store.prune(ImagePruneRequest.everything());

        assertThat(report.bytes()).isEqualTo(12 * 5);
        assertThat(fixture.files()).containsAll(sound).containsAll(others).hasSize(sound.size() + others.size());
    }

    @Test
    void layersOfAPullThatFailedGo() {
        registry.serve(
                "app",
                "3",
                new TestImage()
                        .layer(TestImage.Compression.GZIP, SHARED)
                        .dishonestLayer(TestImage.tar(Map.of("a", "b")), new byte[] {1, 2, 3}));
        assertThatThrownBy(() -> fixture.pull(ImageReference.parse(registry.name() + "/app:3")))
                .isInstanceOf(ImageException.class);
        fixture.store.prune(ImagePruneRequest.everything());
        assertThat(files()).isEmpty();
    }

    @Test
    void aRemovalByForceTakesTheNameAndTheImageGoesWithItsLastHolder() throws IOException {
        ImageDisk disk = fixture.acquire(first, "a");
        fixture.store.remove(first, true);
        assertThat(fixture.store.list()).isEmpty();
        fixture.store.prune(ImagePruneRequest.everything());
        assertThat(disk.vmdk()).exists();
        fixture.store.release(StoreFixture.holder("a"));
        assertThat(fixture.files()).isEmpty();
    }

    private static ImagePruneRequest keep(long bytes) {
        return new ImagePruneRequest(Duration.ZERO, OptionalLong.of(bytes));
    }

    private List<String> files() {
        try {
            return fixture.files();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private long bytes() throws IOException {
        long bytes = 0;
        for (String file : fixture.files()) {
            bytes += Files.size(fixture.cache.resolve(file));
        }
        return bytes;
    }

    /** Two layers, the lower one shared. */
    private static TestImage image(String text) {
        return new TestImage()
                .layer(TestImage.Compression.GZIP, SHARED)
                .layer(TestImage.Compression.GZIP, Map.of("etc/motd", text));
    }
}
