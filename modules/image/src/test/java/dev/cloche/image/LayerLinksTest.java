package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import dev.cloche.erofs.Bytes;
import dev.cloche.erofs.Directory;
import dev.cloche.erofs.ErofsReader;
import dev.cloche.erofs.Inode;
import dev.cloche.erofs.ReadLimits;
import dev.cloche.erofs.RegularFile;
import dev.cloche.image.layer.LayerCompression;
import dev.cloche.image.layer.LayerConverter;
import dev.cloche.image.layer.LayerMerge;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links in archives are the image's own: they lead to where they would lead in it, as containerd has it. */
class LayerLinksTest {
    @TempDir
    Path directory;

    @Test
    void anEntryBelowAnAbsoluteLinkOfItsLayerIsWhereTheLinkLeads() throws IOException {
        Directory root = merged(new TarBuilder()
                .directory("run", 0711)
                .directory("var", 0755)
                .symlink("var/run", "/run")
                .file("var/run/app.pid", "1"));
        assertThat(find(root, "run/app.pid")).isInstanceOf(RegularFile.class);
        assertThat(Objects.requireNonNull(find(root, "run")).attributes().permissions())
                .isEqualTo(0711);
    }

    @Test
    void theLinksTargetMayBeInALowerLayer() throws IOException {
        Directory root = merged(
                new TarBuilder().directory("run", 0711).file("run/old", "x").file("run/gone", "x"),
                new TarBuilder()
                        .symlink("var/run", "/run")
                        .file("var/run/app.pid", "1")
                        .file("var/run/.wh.gone", ""));
        assertThat(find(root, "run/app.pid")).isInstanceOf(RegularFile.class);
        assertThat(find(root, "run/old")).isInstanceOf(RegularFile.class);
        assertThat(find(root, "run/gone")).isNull();
        assertThat(Objects.requireNonNull(find(root, "run")).attributes().permissions())
                .isEqualTo(0711);
    }

    @Test
    void aLinkBeyondTheRootEndsAtTheRoot() throws IOException {
        Directory root = merged(new TarBuilder()
                .symlink("up", "..")
                .file("up/one", "1")
                .symlink("d/far", "../../../../etc")
                .file("d/far/two", "2"));
        assertThat(find(root, "one")).isInstanceOf(RegularFile.class);
        assertThat(find(root, "etc/two")).isInstanceOf(RegularFile.class);
    }

    @Test
    void aHardLinkThroughALinkIsToTheFileBehindIt() throws IOException {
        Directory root = merged(
                new TarBuilder().file("run/low", "low"),
                new TarBuilder()
                        .symlink("var/run", "/run")
                        .file("run/own", "own")
                        .hardLink("one", "var/run/own")
                        .hardLink("two", "/var/run/low"));
        assertThat(find(root, "one")).isNotNull().isSameAs(find(root, "run/own"));
        assertThat(find(root, "two")).isNotNull().isSameAs(find(root, "run/low"));
    }

    @Test
    void aNameMayGoUpAsLongAsItStaysInTheImage() throws IOException {
        Directory root =
                merged(new TarBuilder().directory("a", 0755).file("a/../b", "x").hardLink("c", "a/./../b"));
        assertThat(find(root, "b")).isNotNull().isSameAs(find(root, "c"));
    }

    @Test
    void aZstdLayerMayBeginWithASkippableFrame() throws IOException {
        byte[] tar = new TarBuilder().file("x", "content").bytes();
        ByteArrayOutputStream blob = new ByteArrayOutputStream();
        blob.writeBytes(new byte[] {0x5e, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'a', 'b', 'c'});
        blob.writeBytes(Zstd.compress(tar));
        try (InputStream plain = LayerCompression.open(new ByteArrayInputStream(blob.toByteArray()))) {
            assertThat(plain).hasBinaryContent(tar);
        }
    }

    private Directory merged(TarBuilder... layers) throws IOException {
        LayerMerge merge = new LayerMerge(ImageLimits.generous());
        long blocks = 0;
        for (int i = 0; i < layers.length; i++) {
            Path layer = directory.resolve("layer-" + i);
            try (InputStream stream = layers[i].stream()) {
                LayerConverter.convert(stream, layer, ArchiveLimits.DEFAULT);
            }
            try (ErofsReader reader = ErofsReader.open(layer)) {
                merge.add(reader.tree(ReadLimits.DEFAULT), blocks);
                blocks += reader.blocks();
            }
        }
        return merge.root();
    }

    /** Without following links. */
    private static @Nullable Inode find(Directory root, String path) {
        Inode found = root;
        for (String name : path.split("/", -1)) {
            found = found instanceof Directory directory ? directory.get(Bytes.utf8(name)) : null;
        }
        return found;
    }
}
