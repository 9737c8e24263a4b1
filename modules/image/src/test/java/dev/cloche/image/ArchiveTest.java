package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ArchiveTest {
    private static final ImageReference NAME = ImageReference.parse("example.test/mine:1");

    @TempDir
    Path root;

    private StoreFixture fixture;
    private final TestImage image = new TestImage()
            .layer(TestImage.Compression.GZIP, Map.of("bin/sh", "shell"))
            .layer(TestImage.Compression.ZSTD, Map.of("etc/motd", "hello"))
            .layer(TestImage.Compression.NONE, Map.of("etc/issue", "welcome"));

    @BeforeEach
    void start() {
        fixture = StoreFixture.in(root.resolve("one"));
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"no archive at all", ""})
    void aFileThatIsNoArchiveIsNamedAndWhatIsWanted(String content) throws IOException {
        Path file = Files.writeString(root.resolve("notes.txt"), content.repeat(100));
        try (StoreFixture fixture = StoreFixture.in(root)) {
            assertThatThrownBy(() -> load(fixture, file))
                    .isInstanceOfSatisfying(
                            LoadFailed.class,
                            failed -> assertThat(failed.remedy()).contains("docker save"))
                    .hasMessageStartingWith("The images of " + file + " cannot be loaded: it is n");
        }
    }

    @Test
    void whatIsSavedAndLoadedElsewhereIsTheSameImage() throws IOException {
        Path archive = root.resolve("image.tar");
        try (ScriptedRegistry registry = new ScriptedRegistry()) {
            ImageReference pulled = registry.serve("app", "1", image);
            fixture.pull(pulled);
            fixture.store.tag(pulled, NAME);
            // The second name is of a registry that does not exist; the blobs come from the first.
            save(fixture, archive, NAME);
        }
        try (StoreFixture other = StoreFixture.in(root.resolve("two"))) {
            assertThat(load(other, archive)).singleElement().satisfies(loaded -> {
                assertThat(loaded.reference()).isEqualTo(NAME);
                assertThat(loaded.manifest()).isEqualTo(image.manifestDigest());
            });
            assertThat(other.acquire(NAME, PullPolicy.NEVER, "a").vmdk()).exists();
            assertThat(other.store.check()).isEmpty();
            // And on, without any registry.
            Path again = root.resolve("again.tar");
            save(other, again, NAME);
            assertThat(again).hasSameBinaryContentAs(archive);
            other.store.release(StoreFixture.holder("a"));
            other.store.prune(ImagePruneRequest.everything());
            assertThat(other.files()).isEmpty();
        }
        assertThat(fixture.files()).noneMatch(file -> file.startsWith("blobs/"));
    }

    @Test
    void severalImagesShareTheirLayersInOneArchive() throws IOException {
        TestImage second = new TestImage()
                .layer(TestImage.Compression.GZIP, Map.of("bin/sh", "shell"))
                .layer(TestImage.Compression.GZIP, Map.of("etc/motd", "other"));
        Path archive = root.resolve("image.tar");
        try (ScriptedRegistry registry = new ScriptedRegistry()) {
            ImageReference one = registry.serve("app", "1", image);
            ImageReference two = registry.serve("app", "2", second);
            fixture.pull(one);
            fixture.pull(two);
            save(fixture, archive, one, two);
            try (StoreFixture other = StoreFixture.in(root.resolve("two"))) {
                assertThat(load(other, archive))
                        .extracting(ImageSummary::reference, ImageSummary::manifest)
                        .containsExactly(tuple(one, image.manifestDigest()), tuple(two, second.manifestDigest()));
            }
        }
    }

    @Test
    void anArchiveOfAnImageWhoseLayersAreNotToBeHadIsNotMade() throws IOException {
        ImageReference reference;
        try (ScriptedRegistry registry = new ScriptedRegistry()) {
            reference = registry.serve("app", "1", image);
            fixture.pull(reference);
        }
        Path archive = root.resolve("image.tar");
        assertThatThrownBy(() -> save(fixture, archive, reference))
                .isInstanceOfSatisfying(
                        SaveFailed.class, e -> assertThat(e.remedy()).contains("registry"))
                .hasMessageContaining(image.blobDigest(0).toString());
        assertThat(root).isDirectoryNotContaining("glob:**image.tar*");
    }

    @Test
    void aSaveReplacesNoFile() throws IOException {
        load(fixture, Files.write(root.resolve("in.tar"), layoutTar(image)));
        Path mine = Files.writeString(root.resolve("mine"), "precious");
        assertThatThrownBy(() -> save(fixture, mine, NAME)).isInstanceOf(SaveFailed.class);
        assertThat(mine).hasContent("precious");
        assertThatThrownBy(() -> save(fixture, root.resolve("new"), ImageReference.parse("no/such:1")))
                .isInstanceOf(ImageNotFound.class);
    }

    @ParameterizedTest
    @EnumSource(TestImage.Compression.class)
    void archivesMayBeCompressed(TestImage.Compression compression) throws IOException {
        Path archive = Files.write(root.resolve("in"), TestImage.compress(compression, layoutTar(image)));
        assertThat(load(fixture, archive)).extracting(ImageSummary::manifest).containsExactly(image.manifestDigest());
        assertThat(fixture.files()).noneMatch(file -> file.startsWith("tmp/"));
    }

    @Test
    void aLayoutDirectoryIsLoadedUnderTheNameThatIsGiven() throws IOException {
        Path layout = image.writeLayout(root.resolve("layout"), "base");
        assertThat(fixture.store.load(layout, Optional.of(NAME), PullListener.none(), StoreFixture.soon()))
                .extracting(ImageSummary::reference)
                .containsExactly(NAME);
        assertThat(fixture.store.load(layout, Optional.empty(), PullListener.none(), StoreFixture.soon()))
                .extracting(summary -> summary.reference().toString())
                .containsExactly("docker.io/library/base:latest");
    }

    @Test
    void anArchiveOfDockerIsLoadedWithPlainCompressedAndLinkedLayers() throws IOException {
        byte[] config = image.configDocument();
        String manifest = "[{\"Config\":\"" + Digest.of(config).hex()
                + ".json\",\"RepoTags\":[\"example.test/mine:1\"],\"Layers\":[\"a/layer.tar\",\"b/layer.tar\","
                + "\"c/layer.tar\"]}]";
        TarBuilder tar = new TarBuilder()
                .directory("a", 0755)
                .file("x/layer.tar", TestImage.tar(Map.of("bin/sh", "shell")))
                .symlink("a/layer.tar", "../x/layer.tar")
                .file("b/layer.tar", image.blob(1))
                .file("c/layer.tar", image.blob(2))
                .file(Digest.of(config).hex() + ".json", config)
                .file("manifest.json", manifest);
        Path archive = Files.write(root.resolve("docker.tar"), tar.bytes());
        ImageSummary loaded = load(fixture, archive).getFirst();
        assertThat(loaded.reference()).isEqualTo(NAME);
        ImageDetails details = fixture.store.inspect(NAME);
        assertThat(details.configDigest()).isEqualTo(Digest.of(config));
        assertThat(details.layers())
                .extracting(ImageDetails.Layer::diffId)
                .containsExactly(image.diffId(0), image.diffId(1), image.diffId(2));
        // Loading it again, or saving and loading it elsewhere, is the same image.
        Path saved = root.resolve("saved.tar");
        save(fixture, saved, NAME);
        try (StoreFixture other = StoreFixture.in(root.resolve("two"))) {
            assertThat(load(other, saved).getFirst().manifest()).isEqualTo(loaded.manifest());
            assertThat(load(other, archive).getFirst().manifest()).isEqualTo(loaded.manifest());
        }
    }

    @Test
    void ofADamagedArchiveNothingIsLeft() throws IOException {
        byte[] sound = layoutTar(image);
        int from = indexOf(sound, image.blob(1));
        byte[] damaged = sound.clone();
        damaged[from + image.blob(1).length / 2] ^= 1;
        Path archive = Files.write(root.resolve("in.tar"), damaged);
        assertThatThrownBy(() -> load(fixture, archive))
                .isInstanceOfSatisfying(
                        PullFailed.class, e -> assertThat(e.reason()).isEqualTo(PullFailed.Reason.DIGEST_MISMATCH));
        assertThat(fixture.files()).isEmpty();

        // What fills up the last block may be missing, and the two empty ones after it.
        for (int cut = 1; cut < sound.length - 3 * 512; cut += 700) {
            Path torn = Files.write(root.resolve("torn.tar"), Arrays.copyOf(sound, cut));
            assertThatThrownBy(() -> load(fixture, torn)).isInstanceOf(ImageException.class);
            assertThat(fixture.files()).isEmpty();
        }
        byte[] gzip = TestImage.compress(TestImage.Compression.GZIP, sound);
        Path torn = Files.write(root.resolve("torn.tar.gz"), Arrays.copyOf(gzip, gzip.length / 2));
        assertThatThrownBy(() -> load(fixture, torn)).isInstanceOf(LoadFailed.class);
        assertThat(fixture.files()).isEmpty();
        // What was here before stays, and a layer that is here is not taken from an archive again.
        Path whole = Files.write(root.resolve("whole.tar"), sound);
        load(fixture, whole);
        List<String> files = fixture.files();
        assertThat(load(fixture, archive)).extracting(ImageSummary::manifest).containsExactly(image.manifestDigest());
        assertThat(fixture.files()).isEqualTo(files);
        assertThat(fixture.store.check()).isEmpty();
    }

    @Test
    void whatIsNoArchiveOfImagesIsRefusedWithAReason() throws IOException {
        refused(Files.writeString(root.resolve("text"), "not an archive at all".repeat(100)));
        refused(Files.write(
                root.resolve("other.tar"), new TarBuilder().file("a", "b").bytes()));
        refused(Files.createDirectory(root.resolve("directory")));
        refused(root.resolve("absent"));
        refused(Files.write(
                root.resolve("bad.tar"),
                new TarBuilder()
                        .file("manifest.json", "[{\"Config\":\"../../etc/passwd\",\"Layers\":[]}]")
                        .bytes()));
        refused(Files.write(
                root.resolve("deep.tar"),
                new TarBuilder().file("manifest.json", "[".repeat(100)).bytes()));
        refused(Files.write(
                root.resolve("loop.tar"),
                new TarBuilder()
                        .symlink("manifest.json", "other")
                        .symlink("other", "manifest.json")
                        .bytes()));
        Path nameless = image.writeLayout(root.resolve("layout"), "base");
        Files.write(nameless.resolve("index.json"), TestImage.index(List.of(image.indexEntry(""))));
        refused(nameless);
    }

    private void refused(Path archive) throws IOException {
        assertThatThrownBy(() -> load(fixture, archive)).isInstanceOf(ImageException.class);
        assertThat(fixture.files()).isEmpty();
        assertThat(fixture.store.list()).isEmpty();
    }

    private static List<ImageSummary> load(StoreFixture into, Path archive) {
        return into.store.load(archive, Optional.empty(), PullListener.none(), StoreFixture.soon());
    }

    private static void save(StoreFixture from, Path archive, ImageReference... names) {
        from.store.save(List.of(names), archive, PullListener.none(), StoreFixture.soon());
    }

    private static byte[] layoutTar(TestImage image) {
        TarBuilder tar = new TarBuilder();
        image.blobs().forEach((digest, blob) -> tar.file("blobs/sha256/" + digest.hex(), blob));
        String names = ",\"annotations\":{\"io.containerd.image.name\":\"" + NAME
                + "\",\"org.opencontainers.image.ref.name\":\"1\"}";
        return tar.file("blobs/sha256/" + image.manifestDigest().hex(), image.manifestDocument())
                .file("./oci-layout", "{\"imageLayoutVersion\":\"1.0.0\"}".getBytes(StandardCharsets.UTF_8))
                .file("./index.json", TestImage.index(List.of(image.indexEntry(names))))
                .bytes();
    }

    private static int indexOf(byte[] whole, byte[] part) {
        for (int i = 0; i <= whole.length - part.length; i++) {
            if (Arrays.equals(whole, i, i + part.length, part, 0, part.length)) {
                return i;
            }
        }
        throw new AssertionError("not there");
    }
}
