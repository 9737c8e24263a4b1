package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.RawText;
import dev.cloche.erofs.Bytes;
import dev.cloche.image.layer.ChangedFiles;
import dev.cloche.image.tar.TarEntry;
import dev.cloche.image.tar.TarReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Layers of what has changed in a sandbox, and images of them. */
class CommitTest {
    private static final ImageReference BASE = ImageReference.parse("example.test/base:1");
    private static final ImageReference NAME = ImageReference.parse("example.test/made:1");
    private static final String LONG = "d".repeat(200) + "/" + "e".repeat(150);
    private static final Instant THEN = Instant.ofEpochSecond(1_000_000_000, 5);

    @TempDir
    Path root;

    private StoreFixture fixture;
    private final TestImage base = new TestImage()
            .layer(TestImage.Compression.GZIP, Map.of("bin/sh", "shell"))
            .layer(TestImage.Compression.NONE, Map.of("etc/motd", "hello"));

    @BeforeEach
    void start() throws IOException {
        fixture = StoreFixture.in(root.resolve("one"));
        hold(fixture);
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    private void hold(StoreFixture store) throws IOException {
        Path layout = root.resolve("layout-" + store.root.getFileName());
        store.store.load(base.writeLayout(layout, "base"), Optional.of(BASE), PullListener.none(), StoreFixture.soon());
        store.acquire(BASE, PullPolicy.NEVER, "1");
    }

    private static LayerChanges.Entry entry(LayerChanges.Kind kind, String path, long size, String target) {
        return new LayerChanges.Entry(kind, path, 0640, 12, 34, size, THEN, target, 0, 0);
    }

    private static Consumer<LayerChanges> file(String path, String content) {
        return changes -> {
            changes.entry(entry(LayerChanges.Kind.FILE, path, content.length(), ""));
            if (!content.isEmpty()) {
                changes.data(0, ByteBuffer.wrap(content.getBytes(StandardCharsets.UTF_8)));
            }
        };
    }

    private static Consumer<LayerChanges> directory(String path) {
        return changes -> changes.entry(entry(LayerChanges.Kind.DIRECTORY, path, 4096, ""));
    }

    private ImageSummary commit(ImageReference name, List<Consumer<LayerChanges>> all) {
        return commit(fixture, "1", name, all);
    }

    private static ImageSummary commit(
            StoreFixture store, String holder, ImageReference name, List<Consumer<LayerChanges>> all) {
        return store.store.commit(
                StoreFixture.holder(holder),
                name,
                "a message",
                changes -> all.forEach(change -> change.accept(changes)),
                PullListener.none(),
                StoreFixture.soon());
    }

    private byte[] archive(ArchiveLimits limits, List<Consumer<LayerChanges>> all) throws IOException {
        Path spool = root.resolve("spool");
        try (FileChannel channel = FileChannel.open(
                spool,
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            ChangedFiles files = new ChangedFiles(channel, limits, () -> {});
            all.forEach(change -> change.accept(files));
            files.sort();
            byte[] once = files.archive().readAllBytes();
            assertThat(files.archive().readAllBytes()).isEqualTo(once);
            return once;
        }
    }

    private static List<TarEntry> read(byte[] archive) throws IOException {
        TarReader reader = new TarReader(new ByteArrayInputStream(archive), ArchiveLimits.DEFAULT);
        List<TarEntry> all = new ArrayList<>();
        for (TarEntry entry = reader.next(); entry != null; entry = reader.next()) {
            all.add(entry);
        }
        return all;
    }

    private static TarEntry only(byte[] archive) throws IOException {
        assertThat(read(archive)).hasSize(1);
        return read(archive).getFirst();
    }

    @Test
    void theSameChangesInAnyOrderAreTheSameArchive() throws IOException {
        List<Consumer<LayerChanges>> changes = new ArrayList<>(List.of(
                directory(""),
                directory("etc").andThen(LayerChanges::opaque),
                file("etc/motd", "new"),
                file("etc-more", ""),
                file("bin/ls", "list"),
                to -> to.removed("bin/sh"),
                to -> to.removed("top")));
        byte[] sorted = archive(ArchiveLimits.DEFAULT, changes);
        Collections.reverse(changes);
        assertThat(archive(ArchiveLimits.DEFAULT, changes)).isEqualTo(sorted);
        assertThat(read(sorted))
                .extracting(entry -> entry.path().toString())
                .containsExactly(
                        "./", ".wh.top", "bin/.wh.sh", "bin/ls", "etc/", "etc-more", "etc/.wh..wh..opq", "etc/motd");
    }

    @Test
    void everyFactOfAFileIsInTheArchive() throws IOException {
        List<Instant> times = List.of(
                THEN,
                Instant.EPOCH,
                Instant.ofEpochSecond(-5, 500_000_000),
                Instant.ofEpochSecond(-1, 1),
                Instant.ofEpochSecond(-7),
                Instant.ofEpochSecond(1L << 35, 999_999_999));
        for (Instant time : times) {
            TarEntry entry = only(archive(ArchiveLimits.DEFAULT, List.of(changes -> {
                changes.entry(new LayerChanges.Entry(
                        LayerChanges.Kind.FILE, LONG, 06755, 4_000_000_000L, 2_097_152, 0, time, "", 0, 0));
                changes.attribute("user.a=b%", new byte[] {'\n', 0, '=', (byte) 0xff});
                changes.attribute("security.capability", new byte[] {1, 0, 0, 2});
            })));
            assertThat(entry.path()).isEqualTo(Bytes.utf8(LONG));
            assertThat(entry.permissions()).isEqualTo(06755);
            assertThat(Integer.toUnsignedLong(entry.uid())).isEqualTo(4_000_000_000L);
            assertThat(entry.gid()).isEqualTo(2_097_152);
            assertThat(Instant.ofEpochSecond(
                            entry.modified().seconds(), entry.modified().nanos()))
                    .isEqualTo(time);
            assertThat(entry.xattrs())
                    .containsOnly(
                            Map.entry(Bytes.utf8("user.a=b%"), Bytes.of(new byte[] {'\n', 0, '=', (byte) 0xff})),
                            Map.entry(Bytes.utf8("security.capability"), Bytes.of(new byte[] {1, 0, 0, 2})));
        }
        TarEntry link = only(archive(
                ArchiveLimits.DEFAULT,
                List.of(to -> to.entry(
                        entry(LayerChanges.Kind.SYMBOLIC_LINK, RawText.decode(new byte[] {'x', -1}), 3, LONG)))));
        assertThat(link.type()).isEqualTo(TarEntry.Type.SYMLINK);
        assertThat(link.path()).isEqualTo(Bytes.of(new byte[] {'x', -1}));
        assertThat(link.linkTarget()).isEqualTo(Bytes.utf8(LONG));
        TarEntry device = only(archive(
                ArchiveLimits.DEFAULT,
                List.of(to -> to.entry(new LayerChanges.Entry(
                        LayerChanges.Kind.BLOCK_DEVICE, "b", 0600, 0, 0, 0, THEN, "", 259, 70_000)))));
        assertThat(device.type()).isEqualTo(TarEntry.Type.BLOCK_DEVICE);
        assertThat(device.major()).isEqualTo(259);
        assertThat(device.minor()).isEqualTo(70_000);
    }

    @Test
    void holesTakeNoRoom() throws IOException {
        long size = 1L << 39;
        byte[] archive = archive(ArchiveLimits.DEFAULT, List.of(changes -> {
            changes.entry(entry(LayerChanges.Kind.FILE, LONG, size, ""));
            changes.data(4096, ByteBuffer.wrap(new byte[100]));
            changes.data(4196, ByteBuffer.wrap(new byte[100]));
            changes.data(size - 1, ByteBuffer.wrap(new byte[] {'x'}));
        }));
        assertThat(archive).hasSizeLessThan(8192);
        TarEntry entry = only(archive);
        assertThat(entry.path()).isEqualTo(Bytes.utf8(LONG));
        assertThat(entry.size()).isEqualTo(size);
        assertThat(entry.segments())
                .extracting(segment -> segment.offset() + "+" + segment.length())
                .containsExactly("4096+200", size - 1 + "+1");
        assertThat(only(archive(
                                ArchiveLimits.DEFAULT,
                                List.of(to -> to.entry(entry(LayerChanges.Kind.FILE, "hole", 5, "")))))
                        .segments())
                .isEmpty();
    }

    @Test
    void whatNoLayerCanHaveIsRefused() {
        ArchiveLimits limits = new ArchiveLimits(3, 4, 50, 10, 20, 1 << 20, 1 << 10, 2, 200);
        assertRefused(limits, List.of(file("a/.wh.b", "")), "/a/.wh.b");
        assertRefused(limits, List.of(file(".wh.a/b", "")), "/.wh.a/b");
        assertRefused(limits, List.of(file("a", ""), directory("a")), "'/a' came twice");
        assertRefused(limits, List.of(file("a", "01234567890")), "more than 10 bytes");
        assertRefused(
                limits,
                List.of(file("a", "0123456789"), file("b", "0123456789"), file("c", "0")),
                "more than 20 bytes");
        assertRefused(limits, List.of(file("a", ""), file("b", ""), file("c", ""), file("d", "")), "more than 3 files");
        assertRefused(limits, List.of(file("a/b/c/d/e", "")), "too deep");
        assertRefused(limits, List.of(file("a".repeat(51), "")), "too deep");
        assertRefused(
                limits,
                List.of(file("a", "").andThen(to -> to.attribute("user.x", new byte[200]))),
                "names and attributes");
        assertRefused(
                limits,
                List.of(to -> {
                    to.entry(entry(LayerChanges.Kind.FILE, "a", 9, ""));
                    for (int at = 0; at < 9; at += 3) {
                        to.data(at, ByteBuffer.wrap(new byte[1]));
                    }
                }),
                "holes");
        assertRefused(
                limits,
                List.of(to -> to.entry(
                        new LayerChanges.Entry(LayerChanges.Kind.CHARACTER_DEVICE, "a", 0, 0, 0, 0, THEN, "", -1, 0))),
                "device");
    }

    private void assertRefused(ArchiveLimits limits, List<Consumer<LayerChanges>> changes, String why) {
        assertThatThrownBy(() -> archive(limits, changes))
                .isInstanceOf(CommitFailed.class)
                .hasMessageContaining(why);
    }

    @Test
    void anImageIsItsBaseAndOneLayerMoreAndTheSameEverywhere() throws IOException {
        List<Consumer<LayerChanges>> changes =
                List.of(directory(""), file("new", "content"), to -> to.removed("bin/sh"));
        ImageSummary made = commit(NAME, changes);
        assertThat(made.reference()).isEqualTo(NAME);
        assertThat(commit(ImageReference.parse("example.test/made:2"), changes).manifest())
                .isEqualTo(made.manifest());
        ImageDetails details = fixture.store.inspect(NAME);
        assertThat(details.warnings()).isEmpty();
        assertThat(details.config()).isEqualTo(fixture.store.inspect(BASE).config());
        assertThat(details.layers())
                .extracting(ImageDetails.Layer::diffId)
                .startsWith(base.diffId(0), base.diffId(1))
                .hasSize(3);
        try (StoreFixture other = StoreFixture.in(root.resolve("two"))) {
            hold(other);
            assertThat(commit(other, "1", NAME, changes).manifest()).isEqualTo(made.manifest());
        }
        // Saved and loaded elsewhere it is the same too: its layer is kept as it was made.
        Path saved = root.resolve("saved.tar");
        fixture.store.save(List.of(NAME), saved, PullListener.none(), StoreFixture.soon());
        try (StoreFixture other = StoreFixture.in(root.resolve("three"))) {
            assertThat(other.store.load(saved, Optional.empty(), PullListener.none(), StoreFixture.soon()))
                    .extracting(ImageSummary::manifest)
                    .containsExactly(made.manifest());
        }
    }

    @Test
    void aSecondCommitStandsOnTheFirst() {
        commit(NAME, List.of(file("one", "1")));
        fixture.acquire(NAME, PullPolicy.NEVER, "2");
        commit(fixture, "2", NAME, List.of(file("two", "2")));
        assertThat(fixture.store.inspect(NAME).layers()).hasSize(4);
    }

    @Test
    void layersOfAnImageBelowComeFromItsRegistryWhenTheImageIsSaved() throws IOException {
        Path saved = root.resolve("saved.tar");
        ImageSummary made;
        try (ScriptedRegistry registry = new ScriptedRegistry();
                StoreFixture other = StoreFixture.in(root.resolve("two"))) {
            ImageReference pulled = registry.serve("app", "1", base);
            other.acquire(pulled, PullPolicy.MISSING, "1");
            made = commit(other, "1", NAME, List.of(file("new", "content")));
            other.store.save(List.of(NAME), saved, PullListener.none(), StoreFixture.soon());
        }
        assertThat(fixture.store.load(saved, Optional.empty(), PullListener.none(), StoreFixture.soon()))
                .extracting(ImageSummary::manifest)
                .containsExactly(made.manifest());
    }

    @Test
    void withoutRoomOnTheDiskNoGuestIsAsked() {
        ImageStoreOptions quick = StoreFixture.quick(Optional.empty());
        ImageStoreOptions full = new ImageStoreOptions(
                quick.registries(),
                quick.bundled(),
                quick.platform(),
                quick.limits(),
                quick.parallelism(),
                quick.clock(),
                quick.keepBytes(),
                () -> {
                    throw new IllegalStateException("below the floor");
                },
                quick.operations());
        ImageStore store = ImageStore.open(fixture.cache, fixture.catalog, full);
        assertThatThrownBy(() -> store.commit(
                        StoreFixture.holder("1"),
                        NAME,
                        "",
                        changes -> {
                            throw new AssertionError("it was asked");
                        },
                        PullListener.none(),
                        StoreFixture.soon()))
                .hasMessage("below the floor");
    }

    @Test
    void ofWhatFailsNothingIsLeft() throws IOException {
        List<String> before = fixture.files();
        List<Consumer<LayerChanges>> lost = List.of(file("a", "content"), to -> {
            throw new IllegalStateException("the guest is gone");
        });
        assertThatThrownBy(() -> commit(NAME, lost)).hasMessage("the guest is gone");
        // Refused where the layer is made ready to boot.
        List<Consumer<LayerChanges>> impossible = List.of(file("a", ""), file("a/b", ""));
        assertThatThrownBy(() -> commit(NAME, impossible)).isInstanceOf(CommitFailed.class);
        assertThat(fixture.files()).isEqualTo(before);
        assertThatThrownBy(() -> fixture.store.inspect(NAME)).isInstanceOf(ImageNotFound.class);
        assertThatThrownBy(() -> commit(ImageReference.parse("a@" + base.manifestDigest()), List.of()))
                .isInstanceOf(BadReference.class);
        assertThatThrownBy(() -> commit(fixture, "3", NAME, List.of())).isInstanceOf(CommitFailed.class);
    }
}
