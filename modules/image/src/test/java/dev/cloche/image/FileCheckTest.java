package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.cloche.base.FileStamp;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an end of the host without a shutdown does to files: they keep their names and lengths, and lose content. */
class FileCheckTest {
    @TempDir
    Path root;

    private ScriptedRegistry registry;
    private ImageReference reference;

    @BeforeEach
    void start() throws IOException {
        registry = new ScriptedRegistry();
        reference = registry.serve(
                "app",
                "1",
                new TestImage()
                        .layer(TestImage.Compression.GZIP, Map.of("bin/sh", "shell"))
                        .layer(TestImage.Compression.GZIP, Map.of("etc/motd", "hello")));
    }

    @AfterEach
    void stop() {
        registry.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"layers", "fsmeta", "vmdk"})
    void afterAnotherBootAFileThatLostItsContentIsMadeAgain(String kind) throws IOException {
        Path file;
        try (StoreFixture fixture = StoreFixture.inAnotherBoot(root, "first")) {
            fixture.pull(reference);
            file = fixture.cache.resolve(fixture.files().stream()
                    .filter(f -> f.startsWith(kind + "/"))
                    .findFirst()
                    .orElseThrow());
        }
        byte[] sound = Files.readAllBytes(file);
        lose(file, sound.length);
        try (StoreFixture fixture = StoreFixture.inAnotherBoot(root, "second")) {
            fixture.acquire(reference, "a");
            assertThat(file).hasBinaryContent(sound);
            assertThat(fixture.store.check()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1024, 4095, 4096, -1})
    void oneWrongByteOfALayerIsEnough(int where) throws IOException {
        Path file;
        try (StoreFixture fixture = StoreFixture.inAnotherBoot(root, "first")) {
            fixture.pull(reference);
            file = fixture.cache.resolve(fixture.files().stream()
                    .filter(f -> f.startsWith("layers/"))
                    .findFirst()
                    .orElseThrow());
            assertThat(fixture.store.check()).isEmpty();
        }
        byte[] sound = Files.readAllBytes(file);
        byte[] wrong = sound.clone();
        wrong[where < 0 ? wrong.length - 1 : where] ^= 1;
        Files.write(file, wrong);
        try (StoreFixture fixture = StoreFixture.inAnotherBoot(root, "second")) {
            assertThat(fixture.store.check())
                    .extracting(CacheProblem::kind, CacheProblem::file)
                    .containsExactly(tuple(CacheProblem.Kind.DAMAGED, file));
            fixture.acquire(reference, "a");
            assertThat(file).hasBinaryContent(sound);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"layers", "fsmeta", "vmdk"})
    void oneByteThatIsWrittenInThisBootIsFoundByTheNextUse(String kind) throws IOException {
        try (StoreFixture fixture = StoreFixture.in(root)) {
            fixture.acquire(reference, "a");
            Path file = file(fixture, kind);
            byte[] sound = Files.readAllBytes(file);
            FileTime modified = Files.getLastModifiedTime(file);
            flip(file, sound.length / 2);
            // Length and time of modification are as before; the time of the inode's change is the kernel's alone.
            Files.setLastModifiedTime(file, modified);
            List<String> heard = new CopyOnWriteArrayList<>();

            fixture.store.acquire(
                    reference, PullPolicy.MISSING, StoreFixture.holder("b"), warnings(heard), StoreFixture.soon());

            assertThat(file).hasBinaryContent(sound);
            assertThat(heard).containsExactly("a file of the image was damaged here and has been made again");
            assertThat(fixture.store.check()).isEmpty();
        }
    }

    @Test
    void whoHoldsAnImageGetsItSoundAtTheNextStart() throws IOException {
        try (StoreFixture fixture = StoreFixture.in(root)) {
            fixture.acquire(reference, "a");
            Path layer = file(fixture, "layers");
            byte[] sound = Files.readAllBytes(layer);
            flip(layer, sound.length - 1);

            assertThat(fixture.store.heldDisk(StoreFixture.holder("a"), reference))
                    .isEmpty();
            fixture.store.acquireHeld(reference, StoreFixture.holder("a"), PullListener.none(), StoreFixture.soon());

            assertThat(layer).hasBinaryContent(sound);
            assertThat(fixture.store.heldDisk(StoreFixture.holder("a"), reference))
                    .isPresent();
        }
    }

    @Test
    void whatAHolderHasLostIsNotBroughtBackWhereNoMoreOfTheDiskIsToBeTaken() throws IOException {
        AtomicBoolean low = new AtomicBoolean();
        ImageStoreOptions options = StoreFixture.quick(Optional.empty()).withRoom(() -> {
            if (low.get()) {
                throw new IllegalStateException("it is low");
            }
        });
        try (StoreFixture fixture = new StoreFixture(root, options)) {
            fixture.acquire(reference, "a");
            ImageHolder holder = StoreFixture.holder("a");
            low.set(true);
            // What is sound takes nothing of the disk.
            assertThat(fixture.store.acquireHeld(reference, holder, PullListener.none(), StoreFixture.soon()))
                    .isPresent();
            Path layer = file(fixture, "layers");
            flip(layer, (int) Files.size(layer) - 1);
            int before = registry.requests().size();
            assertThatThrownBy(() ->
                            fixture.store.acquireHeld(reference, holder, PullListener.none(), StoreFixture.soon()))
                    .hasMessage("it is low");
            assertThat(registry.requests()).hasSize(before);

            low.set(false);
            assertThat(fixture.store.acquireHeld(reference, holder, PullListener.none(), StoreFixture.soon()))
                    .isPresent();
        }
    }

    @Test
    void aFileThatWasOnlyCopiedIsReadOnceAndTrustedAgain() throws IOException {
        try (StoreFixture fixture = StoreFixture.in(root)) {
            fixture.acquire(reference, "a");
            int before = registry.requests().size();
            List<String> recorded = stamps(fixture);
            Path layer = file(fixture, "layers");
            Path copy = Files.copy(layer, layer.resolveSibling(".tmp-copy"));
            Files.move(copy, layer, StandardCopyOption.REPLACE_EXISTING);

            fixture.acquire(reference, PullPolicy.NEVER, "b");

            assertThat(registry.requests()).hasSize(before);
            assertThat(stamps(fixture)).hasSameSizeAs(recorded).isNotEqualTo(recorded);
        }
    }

    @Test
    void withoutAPullOnlyADamagedLayerIsTooMuch() throws IOException {
        try (StoreFixture fixture = StoreFixture.in(root)) {
            fixture.acquire(reference, "a");
            int before = registry.requests().size();
            Path fsmeta = file(fixture, "fsmeta");
            byte[] sound = Files.readAllBytes(fsmeta);
            flip(fsmeta, 0);

            fixture.acquire(reference, PullPolicy.NEVER, "b");

            assertThat(fsmeta).hasBinaryContent(sound);
            flip(file(fixture, "layers"), 5);
            assertThatThrownBy(() -> fixture.acquire(reference, PullPolicy.NEVER, "c"))
                    .isInstanceOf(ImageDamaged.class)
                    .hasMessageStartingWith(
                            "The image " + reference + " is damaged on this host and could not be made again: "
                                    + "Pulling from " + reference.registry() + " failed: a pull was not allowed.");
            assertThatThrownBy(() ->
                            fixture.store.pull(reference, PullPolicy.NEVER, PullListener.none(), StoreFixture.soon()))
                    .isInstanceOf(ImageDamaged.class);
            assertThat(registry.requests()).hasSize(before);
        }
    }

    private static PullListener warnings(List<String> heard) {
        return event -> {
            if (event instanceof PullEvent.Warning(String what)) {
                heard.add(what);
            }
        };
    }

    private static List<String> stamps(StoreFixture fixture) {
        return fixture.catalog.read(
                transaction -> transaction.list(row -> row.getString(1), "SELECT stamp FROM layer ORDER BY diff_id"));
    }

    private static void flip(Path file, int where) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, where);
            one.put(0, (byte) (one.get(0) ^ 1)).rewind();
            channel.write(one, where);
        }
    }

    @Test
    void withoutANetworkADamagedImageIsNeverUsed() throws IOException {
        Path file;
        try (StoreFixture fixture = StoreFixture.inAnotherBoot(root, "first")) {
            fixture.pull(reference);
            file = fixture.cache.resolve(fixture.files().stream()
                    .filter(f -> f.startsWith("layers/"))
                    .findFirst()
                    .orElseThrow());
        }
        lose(file, (int) Files.size(file));
        try (StoreFixture fixture = StoreFixture.inAnotherBoot(root, "second")) {
            assertThatThrownBy(() -> fixture.acquire(reference, PullPolicy.NEVER, "a"))
                    .isInstanceOf(ImageDamaged.class);
            assertThat(fixture.store.check())
                    .extracting(CacheProblem::kind, CacheProblem::file)
                    .containsExactly(tuple(CacheProblem.Kind.DAMAGED, file));
        }
    }

    @Test
    void intactFilesAreReadOnceInABootAndNothingIsFetched() throws IOException {
        try (StoreFixture fixture = StoreFixture.inAnotherBoot(root, "first")) {
            fixture.pull(reference);
        }
        int before = registry.requests().size();
        try (StoreFixture fixture = StoreFixture.inAnotherBoot(root, "second")) {
            assertThat(fixture.acquire(reference, PullPolicy.NEVER, "a").vmdk()).exists();
            assertThat(registry.requests()).hasSize(before);
            List<String> boots = fixture.catalog.read(transaction -> transaction.list(
                    row -> row.getString(1),
                    "SELECT checked_boot FROM layer UNION ALL SELECT checked_boot FROM manifest"));
            assertThat(boots).containsOnly("second");
            // From here on only names, lengths, times and inodes are looked at.
            Path layer = file(fixture, "layers");
            flip(layer, 7);
            fixture.catalog.write(transaction -> transaction.update(
                    "UPDATE layer SET stamp = ? WHERE diff_id LIKE ?",
                    FileStamp.of(layer).state(),
                    "%" + layer.getFileName().toString().substring(0, 64)));
            assertThat(fixture.acquire(reference, PullPolicy.NEVER, "b").vmdk()).exists();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"layers", "fsmeta", "vmdk"})
    void afterAFailedStartAFileThatWasDamagedInThisBootIsMadeAgain(String kind) throws IOException {
        try (StoreFixture fixture = StoreFixture.in(root)) {
            fixture.acquire(reference, "a");
            Path file = file(fixture, kind);
            byte[] sound = Files.readAllBytes(file);
            lose(file, sound.length);

            assertThat(mendHeld(fixture, reference)).isTrue();

            assertThat(file).hasBinaryContent(sound);
            assertThat(fixture.store.check()).isEmpty();
            assertThat(mendHeld(fixture, reference)).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"fsmeta", "vmdk"})
    void whatJoinsTheLayersIsMadeAgainWithoutARegistry(String kind) throws IOException {
        try (StoreFixture fixture = StoreFixture.in(root)) {
            fixture.acquire(reference, "a");
            registry.vanish();
            Path file = file(fixture, kind);
            byte[] sound = Files.readAllBytes(file);
            lose(file, sound.length);

            assertThat(mendHeld(fixture, reference)).isTrue();

            assertThat(file).hasBinaryContent(sound);
        }
    }

    @Test
    void aLayerThatCannotBeMadeAgainIsNamedWithTheRemedyAndFoundByEachNextStart() throws IOException {
        try (StoreFixture fixture = StoreFixture.in(root)) {
            fixture.acquire(reference, "a");
            registry.vanish();
            Path layer = file(fixture, "layers");
            lose(layer, (int) Files.size(layer));

            assertThatThrownBy(() -> mendHeld(fixture, reference))
                    .isInstanceOf(ImageDamaged.class)
                    .hasMessageContainingAll(
                            "The image " + reference + " is damaged on this host", reference.registry())
                    .satisfies(damaged -> assertThat(((ImageDamaged) damaged).remedy())
                            .contains("cloche.images().pull(\"" + reference));
            assertThatThrownBy(() -> fixture.acquire(reference, "b")).isInstanceOf(ImageDamaged.class);
        }
    }

    @Test
    void aLayerOfALoadedImageIsMadeAgainOfTheBlobThatWasKept() throws IOException {
        Path archive = root.resolve("image.tar");
        ImageReference name = ImageReference.parse("registry.invalid/loaded:1");
        try (StoreFixture fixture = StoreFixture.in(root)) {
            fixture.pull(reference);
            fixture.store.save(List.of(reference), archive, PullListener.none(), StoreFixture.soon());
            fixture.store.remove(reference, false);
            fixture.store.load(archive, Optional.of(name), PullListener.none(), StoreFixture.soon());
            fixture.acquire(name, "a");
            Path layer = file(fixture, "layers");
            byte[] sound = Files.readAllBytes(layer);
            lose(layer, sound.length);

            assertThat(mendHeld(fixture, name)).isTrue();

            assertThat(layer).hasBinaryContent(sound);
        }
    }

    @Test
    void anImageInDoubtIsReadBeforeItsNextUse() throws IOException {
        try (StoreFixture fixture = StoreFixture.in(root)) {
            fixture.acquire(reference, "a");
            Path layer = file(fixture, "layers");
            byte[] sound = Files.readAllBytes(layer);
            lose(layer, sound.length);

            fixture.store.doubtHeld(StoreFixture.holder("a"));
            fixture.acquire(reference, "b");

            assertThat(layer).hasBinaryContent(sound);
        }
    }

    @Test
    void aLayerOfABundledImageIsMadeAgainOfItsLayout() throws IOException {
        Path layout = ThreeImages.writeLayout(Files.createDirectory(root.resolve("layout")));
        try (StoreFixture fixture = ThreeImages.open(root, layout)) {
            fixture.acquire(ThreeImages.A, "a");
            Path layer = file(fixture, "layers");
            byte[] sound = Files.readAllBytes(layer);
            lose(layer, sound.length);

            assertThat(mendHeld(fixture, ThreeImages.A)).isTrue();

            assertThat(layer).hasBinaryContent(sound);
        }
    }

    private static boolean mendHeld(StoreFixture fixture, ImageReference reference) {
        return fixture.store.mendHeld(reference, StoreFixture.holder("a"), PullListener.none(), StoreFixture.soon());
    }

    private static Path file(StoreFixture fixture, String kind) throws IOException {
        return fixture.cache.resolve(fixture.files().stream()
                .filter(f -> f.startsWith(kind + "/"))
                .findFirst()
                .orElseThrow());
    }

    @Test
    void aDocumentThatIsGoneOrDamagedIsFoundAndComesBackWithThePull() throws IOException {
        try (StoreFixture fixture = StoreFixture.in(root)) {
            fixture.pull(reference);
            List<String> documents = fixture.files().stream()
                    .filter(f -> f.startsWith("manifests/"))
                    .toList();
            assertThat(documents).hasSize(2);
            Files.delete(fixture.cache.resolve(documents.getFirst()));
            Path damaged = fixture.cache.resolve(documents.getLast());
            lose(damaged, (int) Files.size(damaged));
            assertThat(fixture.store.check())
                    .extracting(CacheProblem::kind)
                    .containsExactlyInAnyOrder(CacheProblem.Kind.MISSING, CacheProblem.Kind.DAMAGED);
            fixture.store.pull(reference, PullPolicy.ALWAYS, PullListener.none(), StoreFixture.soon());
            assertThat(fixture.store.check()).isEmpty();
        }
    }

    @Test
    void whatIsMissingAndWhatIsOrphanedIsFound() throws IOException {
        try (StoreFixture fixture = StoreFixture.in(root)) {
            fixture.pull(reference);
            assertThat(fixture.store.check()).isEmpty();
            Path layer = fixture.cache.resolve(fixture.files().stream()
                    .filter(f -> f.startsWith("layers/"))
                    .findFirst()
                    .orElseThrow());
            Path stray = layer.resolveSibling("0".repeat(64) + ".v1.erofs");
            Files.move(layer, stray);
            assertThat(fixture.store.check())
                    .extracting(CacheProblem::kind)
                    .containsExactly(CacheProblem.Kind.MISSING, CacheProblem.Kind.ORPHAN);
        }
    }

    /** The same length, and zeros. */
    private static void lose(Path file, int length) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(length), 0);
        }
    }
}
