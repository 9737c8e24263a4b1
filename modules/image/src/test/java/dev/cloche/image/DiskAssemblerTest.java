package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.erofs.CorruptErofsException;
import dev.cloche.image.layer.DiskAssembler;
import dev.cloche.image.layer.LayerConverter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Layers laid over each other, as the kernel sees the result: a flat file made of the merged metadata and all layers. */
class DiskAssemblerTest {
    private static final String FILES = "find . -mindepth 1 -printf '%P %y %m %U %l\\n' | sort";
    private static final String CONTENTS =
            "find . -type f | sort | while read -r f; do echo \"$f=$(cat \"$f\")\"; done";

    @TempDir
    Path directory;

    private final List<Path> layers = new ArrayList<>();

    @Test
    void upperLayersHideRemoveAndReplace() throws IOException, InterruptedException {
        layer(new TarBuilder()
                .directory("d", 01777)
                .file("d/kept", "1")
                .file("d/removed", "1")
                .file("d/changed", "1")
                .directory("o", 0700)
                .file("o/hidden", "1")
                .directory("o/sub", 0755)
                .file("o/sub/hidden", "1")
                .directory("gone", 0755)
                .file("gone/below", "1")
                .directory("anew", 0755)
                .file("anew/below", "1")
                .file("file-to-directory", "1")
                .directory("directory-to-file", 0755)
                .file("directory-to-file/x", "1"));
        layer(new TarBuilder()
                .file("d/changed", "2")
                .file("d/.wh.removed", "")
                .directory("o", 0750)
                .file("o/shown", "2")
                .file("o/.wh..wh..opq", "")
                .file(".wh.gone", "")
                .directory("anew", 0711)
                .file(".wh.anew", "")
                .file("anew/above", "2")
                .directory("file-to-directory", 0755)
                .file("file-to-directory/y", "2")
                .file("directory-to-file", "2")
                .file(".wh..wh.plnk", ""));
        Path disk = disk();
        assertThat(Shell.mounted(disk, CONTENTS).lines())
                .containsExactly(
                        "./anew/above=2",
                        "./d/changed=2",
                        "./d/kept=1",
                        "./directory-to-file=2",
                        "./file-to-directory/y=2",
                        "./o/shown=2");
        assertThat(Shell.mounted(disk, FILES).lines())
                .contains("d d 1777 0 ", "o d 750 0 ", "anew d 711 0 ")
                .noneMatch(line -> line.contains(" c ") || line.contains(".wh."));
        assertThat(Shell.mounted(disk, "getfattr -R -h -d -m - .")).doesNotContain("trusted.");
    }

    @Test
    void hardLinksReachLowerLayersAndLaterEntries() throws IOException, InterruptedException {
        layer(new TarBuilder()
                .directory("a", 0755)
                .file("a/target", "low")
                .symlink("b", "a")
                .file("old", "x"));
        layer(new TarBuilder()
                .hardLink("one", "b/target")
                .hardLink("two", "one")
                .file(".wh.old", "")
                .hardLink("kept", "old")
                .hardLink("early", "later")
                .file("later", "late"));
        Path disk = disk();
        assertThat(Shell.mounted(
                                disk,
                                "stat -c '%n %h' a/target one two kept early later; stat -c %i one two | uniq | wc -l")
                        .lines())
                .containsExactly("a/target 3", "one 3", "two 3", "kept 1", "early 2", "later 2", "1");
        assertThat(Shell.mounted(disk, "cat one kept early")).isEqualTo("lowxlate");
    }

    @Test
    void aHardLinkWithoutTargetIsRefused() throws IOException {
        layer(new TarBuilder().file("f", "x"));
        layer(new TarBuilder().hardLink("l", "missing"));
        assertThatThrownBy(() -> DiskAssembler.writeFsmeta(layers, directory.resolve("fsmeta"), ImageLimits.generous()))
                .isInstanceOf(CorruptArchiveException.class)
                .hasMessageContaining("missing");
    }

    @Test
    void impliedDirectoriesTakeWhatIsBelow() throws IOException, InterruptedException {
        layer(new TarBuilder()
                .directory("usr", 0755)
                .directory("usr/lib", 0711)
                .file("usr/lib/low", "1")
                .symlink("lib", "usr/lib")
                .symlink("abs", "/usr/lib")
                .directory("tmp", 01777));
        layer(new TarBuilder()
                .file("lib/high", "2")
                .file("abs/higher", "3")
                .file("tmp/t", "2")
                .file("new/n", "2"));
        Path disk = disk();
        assertThat(Shell.mounted(disk, FILES).lines())
                .contains("lib l 777 0 usr/lib", "tmp d 1777 0 ", "new d 755 0 ", "usr/lib d 711 0 ");
        assertThat(Shell.mounted(disk, "cat usr/lib/low usr/lib/high usr/lib/higher"))
                .isEqualTo("123");
    }

    @Test
    void sparseFilesAndRepeatedLayersKeepTheirContent() throws IOException, InterruptedException {
        layer(new TarBuilder()
                .pax("GNU.sparse.map", "8192,3,1000000,3")
                .pax("GNU.sparse.size", "2000000")
                .file("sparse", "abcdef")
                .file("dense", "x".repeat(10_000)));
        layer(new TarBuilder().file("other", "o"));
        layers.add(layers.getFirst());
        layers.add(layers.get(1));
        Path disk = disk();
        assertThat(Shell.mounted(disk, """
                stat -c '%n %s' sparse dense other; tr -d '\\0' < sparse; dd if=sparse bs=1 skip=1000000 count=3 status=none
                """)).isEqualTo("sparse 2000000\ndense 10000\nother 1\nabcdefdef");
    }

    @Test
    void anImageWithoutLayersIsAnEmptyRoot() throws IOException, InterruptedException {
        assertThat(Shell.mounted(disk(), "stat -c '%a %u %h' .; ls -A")).isEqualTo("755 0 2\n");
    }

    @Test
    void manyLayersMayNotMakeATreeThatNoneOfThemMay() throws IOException {
        for (int i = 0; i < 4; i++) {
            layer(new TarBuilder().file("file-" + i, "x").symlink("link", "x".repeat(100)));
        }
        ImageLimits generous = ImageLimits.generous();
        Path fsmeta = directory.resolve("fsmeta");
        assertThatThrownBy(() -> DiskAssembler.writeFsmeta(layers, fsmeta, bounded(7, 1 << 20)))
                .isInstanceOf(CorruptArchiveException.class)
                .hasMessageContaining("more than 7 entries");
        assertThatThrownBy(() -> DiskAssembler.writeFsmeta(layers, fsmeta, bounded(8, 400)))
                .isInstanceOf(CorruptArchiveException.class)
                .hasMessageContaining("more than 400 bytes");
        assertThat(DiskAssembler.writeFsmeta(layers, fsmeta, bounded(8, 1000)))
                .isEqualTo(DiskAssembler.writeFsmeta(layers, fsmeta, generous));
    }

    private static ImageLimits bounded(long entries, long metadataBytes) {
        ImageLimits generous = ImageLimits.generous();
        return new ImageLimits(
                generous.documentBytes(),
                generous.layers(),
                generous.layerBytes(),
                entries,
                metadataBytes,
                generous.archive());
    }

    @Test
    void theSameLayersGiveTheSameBytes() throws IOException {
        layer(new TarBuilder().file("a/b", "1").symlink("s", "a").hardLink("h", "a/b"));
        layer(new TarBuilder().hardLink("l", "h").file(".wh.s", ""));
        DiskAssembler.writeFsmeta(layers, directory.resolve("one"), ImageLimits.generous());
        DiskAssembler.writeFsmeta(layers, directory.resolve("two"), ImageLimits.generous());
        assertThat(Files.mismatch(directory.resolve("one"), directory.resolve("two")))
                .isEqualTo(-1);
    }

    @Test
    void aTornLayerIsRefused() throws IOException {
        Path layer = layer(new TarBuilder().file("f", "x"));
        byte[] content = Files.readAllBytes(layer);
        Files.write(layer, Arrays.copyOf(content, content.length - 4096));
        assertThatThrownBy(() -> DiskAssembler.writeFsmeta(layers, directory.resolve("fsmeta"), ImageLimits.generous()))
                .isInstanceOf(CorruptErofsException.class);
    }

    private Path layer(TarBuilder archive) throws IOException {
        Path layer = directory.resolve("layer-" + layers.size());
        try (InputStream stream = archive.stream()) {
            LayerConverter.convert(stream, layer, ArchiveLimits.DEFAULT);
        }
        layers.add(layer);
        return layer;
    }

    private Path disk() throws IOException, InterruptedException {
        Shell.needMounts();
        Path fsmeta = directory.resolve("fsmeta");
        assertThat(DiskAssembler.writeFsmeta(layers, fsmeta, ImageLimits.generous()))
                .isEqualTo(Files.size(fsmeta));
        Path disk = directory.resolve("disk");
        try (OutputStream flat = Files.newOutputStream(disk)) {
            Files.copy(fsmeta, flat);
            for (Path layer : layers) {
                Shell.fsck(layer);
                Files.copy(layer, flat);
            }
        }
        Shell.fsck(disk);
        return disk;
    }
}
