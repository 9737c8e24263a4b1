package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.image.store.CacheFiles;
import dev.cloche.image.store.CacheLock;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ImageStoreTest extends OnScriptedRegistry {
    private static final Map<String, String> SHARED = Map.of("bin/sh", "shell");

    @Test
    void imagesAreListedNewestFirstWithWhatIsKnownOfThem() {
        TestImage image = image("one");
        ImageReference first = registry.serve("app", "1", image);
        ImageReference second = registry.serve("app", "2", image("two"));
        fixture.pull(first);
        fixture.pull(second);
        assertThat(fixture.store.list()).extracting(ImageSummary::reference).containsExactly(second, first);
        ImageSummary summary = fixture.store.get(first);
        assertThat(summary.manifest()).isEqualTo(image.manifestDigest());
        assertThat(summary.sizeBytes()).isEqualTo(image.blob(0).length + image.blob(1).length);
        assertThat(summary.layers()).isEqualTo(2);
        assertThat(summary.platform()).isEqualTo(Platform.host());
        assertThat(summary.lastUsedAt()).isAfterOrEqualTo(summary.createdAt());
    }

    @Test
    void anImageInUseIsNotRemovedAndTheMessageNamesItsHolders() {
        ImageReference reference = registry.serve("app", "1", image("one"));
        fixture.acquire(reference, "a");
        fixture.acquire(reference, "b");
        assertThatThrownBy(() -> fixture.store.remove(reference, false))
                .isInstanceOfSatisfying(
                        ImageInUse.class,
                        e -> assertThat(e.holders())
                                .containsExactly(StoreFixture.holder("a"), StoreFixture.holder("b")))
                .hasMessageContaining("name-of-a");
        fixture.store.release(StoreFixture.holder("a"));
        assertThatThrownBy(() -> fixture.store.remove(reference, false)).isInstanceOf(ImageInUse.class);
        fixture.store.release(StoreFixture.holder("b"));
        fixture.store.remove(reference, false);
        assertThatThrownBy(() -> fixture.store.get(reference)).isInstanceOf(ImageNotFound.class);
    }

    @Test
    void removalDeletesExactlyTheFilesThatNoOtherImageHas() throws IOException {
        TestImage one = image("one");
        TestImage two = image("two");
        ImageReference first = registry.serve("app", "1", one);
        ImageReference second = registry.serve("app", "2", two);
        fixture.pull(second);
        List<String> onlySecond = fixture.files();
        fixture.pull(first);
        assertThat(fixture.files()).contains("layers/" + one.diffId(1).hex() + ".v1.erofs");

        fixture.store.remove(first, false);
        assertThat(fixture.files()).isEqualTo(onlySecond);
        fixture.store.remove(second, false);
        assertThat(fixture.files()).isEmpty();
        assertThatThrownBy(() -> fixture.store.remove(second, false)).isInstanceOf(ImageNotFound.class);
    }

    @Test
    void whatKilledPullsHaveLeftIsDeletedUnlessItsOwnerIsAtWork() throws Exception {
        Digest dead = Digest.of("dead".getBytes(StandardCharsets.UTF_8));
        Digest alive = Digest.of("alive".getBytes(StandardCharsets.UTF_8));
        CacheFiles files = CacheFiles.in(fixture.cache);
        files.create();
        Files.createFile(files.layerLock(dead));
        Path left = files.temporaryLayer(dead);
        Path written = files.temporaryFsmeta(alive);
        CountDownLatch locked = new CountDownLatch(1);
        CountDownLatch pulled = new CountDownLatch(1);
        try (ExecutorService other = Executors.newSingleThreadExecutor()) {
            Future<?> writing = other.submit(() -> {
                try (CacheLock _ = CacheLock.take(files.manifestLock(alive), StoreFixture.soon())
                        .orElseThrow()) {
                    locked.countDown();
                    pulled.await();
                }
                return null;
            });
            locked.await();
            fixture.pull(registry.serve("app", "1", image("one")));
            assertThat(left).doesNotExist();
            assertThat(written).exists();
            pulled.countDown();
            writing.get();
        }
        fixture.pull(registry.serve("app", "2", image("two")));
        assertThat(written).doesNotExist();
    }

    @Test
    void anImageWithAnotherNameStays() throws IOException {
        TestImage image = image("one");
        ImageReference first = registry.serve("app", "1", image);
        ImageReference second = registry.serve("app", "2", image);
        fixture.pull(first);
        fixture.pull(second);
        List<String> files = fixture.files();
        fixture.store.remove(first, false);
        assertThat(fixture.files()).isEqualTo(files);
        assertThat(fixture.store.list()).hasSize(1);
    }

    @Test
    void aSharedLayerIsPulledOnce() {
        TestImage one = image("one");
        fixture.pull(registry.serve("app", "1", one));
        fixture.pull(registry.serve("app", "2", image("two")));
        assertThat(registry.requests(one.blobDigest(0).toString())).hasSize(1);
    }

    @Test
    void aRepeatedLayerIsStoredOnceAndStandsInTheDiskTwice() throws IOException {
        TestImage image = new TestImage()
                .layer(TestImage.Compression.GZIP, SHARED)
                .layer(TestImage.Compression.GZIP, Map.of("f", "x"))
                .layer(TestImage.Compression.GZIP, SHARED);
        ImageDisk disk = fixture.acquire(registry.serve("app", "1", image), "a");
        assertThat(Files.readString(disk.vmdk()).split(image.diffId(0).hex(), -1))
                .hasSize(3);
        assertThat(fixture.store.list().getFirst().layers()).isEqualTo(3);
    }

    @Test
    void aMovedTagKeepsTheOldImageForItsHolderAndNoLonger() throws IOException {
        TestImage old = image("old");
        ImageReference reference = registry.serve("app", "1", old);
        fixture.acquire(reference, "a");
        TestImage moved = image("new");
        registry.serve("app", "1", moved);

        assertThat(fixture.acquire(reference, "b").manifest()).isEqualTo(old.manifestDigest());
        assertThat(fixture.acquire(reference, PullPolicy.ALWAYS, "b").manifest())
                .isEqualTo(moved.manifestDigest());
        assertThat(fixture.files()).contains("vmdk/" + old.manifestDigest().hex() + ".v1.vmdk");
        fixture.store.release(StoreFixture.holder("a"));
        assertThat(fixture.files())
                .contains("vmdk/" + moved.manifestDigest().hex() + ".v1.vmdk")
                .contains("layers/" + old.diffId(0).hex() + ".v1.erofs")
                .doesNotContain("layers/" + old.diffId(1).hex() + ".v1.erofs")
                .doesNotContain("vmdk/" + old.manifestDigest().hex() + ".v1.vmdk");
    }

    @Test
    void neverMeansOnlyWhatIsHere() {
        ImageReference reference = registry.serve("app", "1", image("one"));
        assertThatThrownBy(() -> fixture.acquire(reference, PullPolicy.NEVER, "a"))
                .isInstanceOf(ImageNotFound.class);
        assertThat(registry.requests()).isEmpty();
        fixture.pull(reference);
        assertThat(fixture.acquire(reference, PullPolicy.NEVER, "a").vmdk()).exists();
    }

    @ParameterizedTest
    @ValueSource(strings = {"layers", "fsmeta", "vmdk"})
    void aTornOrMissingFileIsMadeAgainAsItWas(String kind) throws IOException {
        ImageReference reference = registry.serve("app", "1", image("one"));
        fixture.acquire(reference, "a");
        String name = fixture.files().stream()
                .filter(f -> f.startsWith(kind + "/"))
                .findFirst()
                .orElseThrow();
        Path file = fixture.cache.resolve(name);
        byte[] sound = Files.readAllBytes(file);
        registry.serve("app", "1", image("the tag has moved on"));
        int before = registry.requests().size();

        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(sound.length / 2);
        }
        fixture.acquire(reference, "a");
        assertThat(file).hasBinaryContent(sound);
        Files.delete(file);
        fixture.acquire(reference, "a");
        assertThat(file).hasBinaryContent(sound);
        if (!kind.equals("layers")) {
            assertThat(registry.requests()).hasSize(before);
        }
    }

    @Test
    void aBundledImageIsImportedByItsNameWithoutARegistry() throws IOException {
        TestImage image = image("bundled");
        Path layout = image.writeLayout(root.resolve("layout"), "base");
        ImageStoreOptions options =
                StoreFixture.quick(Optional.empty()).withBundled(List.of(root.resolve("absent"), layout));
        try (StoreFixture bundled = new StoreFixture(root.resolve("b"), options)) {
            ImageDisk disk = bundled.acquire(ImageReference.parse("base"), "a");
            assertThat(disk.manifest()).isEqualTo(image.manifestDigest());
            assertThat(disk.vmdk()).exists();

            TestImage rebuilt = image("rebuilt");
            rebuilt.writeLayout(layout, "base");
            assertThat(bundled.acquire(ImageReference.parse("base"), PullPolicy.ALWAYS, "a")
                            .manifest())
                    .isEqualTo(rebuilt.manifestDigest());
        }
    }

    @Test
    void aBundledImageThatIsDamagedIsRefused() throws IOException {
        TestImage image = image("bundled");
        Path layout = image.writeLayout(root.resolve("layout"), "base");
        Files.write(layout.resolve("blobs/sha256/" + image.blobDigest(0).hex()), new byte[image.blob(0).length]);
        try (StoreFixture bundled = new StoreFixture(
                root.resolve("b"), StoreFixture.quick(Optional.empty()).withBundled(List.of(layout)))) {
            assertThatThrownBy(() -> bundled.acquire(ImageReference.parse("base"), "a"))
                    .isInstanceOfSatisfying(
                            PullFailed.class, e -> assertThat(e.reason()).isEqualTo(PullFailed.Reason.DIGEST_MISMATCH));
        }
    }

    @Test
    void threadsThatWantTheSameImageFetchItOnce() throws Exception {
        TestImage image = image("one");
        ImageReference reference = registry.serve("app", "1", image);
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Callable<ImageDisk>> work = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                String holder = "h" + i;
                work.add(() -> fixture.acquire(reference, holder));
            }
            for (Future<ImageDisk> disk : threads.invokeAll(work)) {
                assertThat(disk.get().manifest()).isEqualTo(image.manifestDigest());
            }
        }
        assertThat(registry.requests(image.blobDigest(0).toString())).hasSize(1);
        assertThat(registry.requests(image.blobDigest(1).toString())).hasSize(1);
    }

    @Test
    void pullsAndRemovalsAtTheSameTimeNeverTakeAHeldImageAway() throws Exception {
        List<ImageReference> references =
                List.of(registry.serve("app", "1", image("one")), registry.serve("app", "2", image("two")));
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Callable<Integer>> work = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                int worker = i;
                work.add(() -> {
                    int held = 0;
                    for (int round = 0; round < 10; round++) {
                        ImageReference reference = references.get((worker + round) % 2);
                        ImageDisk disk = fixture.acquire(reference, "w" + worker);
                        removeUnlessUsed(references.get(round % 2));
                        for (String extent : extents(disk)) {
                            assertThat(disk.vmdk().resolveSibling(extent)).exists();
                            held++;
                        }
                        fixture.store.release(StoreFixture.holder("w" + worker));
                        removeUnlessUsed(reference);
                    }
                    return held;
                });
            }
            for (Future<Integer> held : threads.invokeAll(work)) {
                assertThat(held.get()).isEqualTo(30);
            }
        }
        references.forEach(this::removeUnlessUsed);
        assertThat(fixture.store.list()).isEmpty();
    }

    private void removeUnlessUsed(ImageReference reference) {
        try {
            fixture.store.remove(reference, false);
        } catch (ImageInUse | ImageNotFound expected) {
            // Another worker holds it, or was faster.
        }
    }

    private static List<String> extents(ImageDisk disk) throws IOException {
        return Files.readAllLines(disk.vmdk()).stream()
                .filter(line -> line.startsWith("R"))
                .map(line -> line.replaceAll("^[^\"]*\"([^\"]*)\".*$", "$1"))
                .toList();
    }

    /** Two layers, the lower one shared. */
    private static TestImage image(String text) {
        return new TestImage()
                .layer(TestImage.Compression.GZIP, SHARED)
                .layer(TestImage.Compression.GZIP, Map.of("etc/motd", text));
    }
}
