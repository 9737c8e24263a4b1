package dev.cloche.erofs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ErofsRoundTripTest {
    @TempDir
    Path directory;

    @Test
    void readsBackEveryKindOfInode() throws IOException {
        Path image = directory.resolve("image");
        Directory written;
        try (ErofsWriter writer = ErofsWriter.create(image)) {
            written = SampleTrees.everything(writer);
            assertThat(writer.finish(written)).isEqualTo(Files.size(image));
        }
        try (ErofsReader reader = ErofsReader.open(image)) {
            assertThat(reader.blocks()).isEqualTo(reader.fileBlocks());
            assertSame(reader.tree(ReadLimits.DEFAULT), written);
        }
    }

    @Test
    void hardLinksAreOneInode() throws IOException {
        Directory read = writeAndRead();
        assertThat(read.get(Bytes.utf8("link"))).isNotNull().isSameAs(read.get(Bytes.utf8("file")));
    }

    @Test
    void theSameCallsGiveTheSameBytes() throws IOException {
        Path one = directory.resolve("one");
        Path two = directory.resolve("two");
        for (Path image : List.of(one, two)) {
            try (ErofsWriter writer = ErofsWriter.create(image)) {
                writer.finish(SampleTrees.everything(writer));
            }
        }
        assertThat(Files.mismatch(one, two)).isEqualTo(-1);
    }

    @Test
    void anObserverSeesTheWholeImageWithItsFirstBlockLast() throws IOException {
        Path image = directory.resolve("image");
        ByteArrayOutputStream seen = new ByteArrayOutputStream();
        try (ErofsWriter writer = ErofsWriter.create(image, seen::write)) {
            SparseData chunks = writer.sparse(1L << 38);
            // Chunks of 4 MiB: a long hole on both sides of a byte.
            chunks.data(2_000_000, 1, new ByteArrayInputStream(new byte[] {1}));
            chunks.finish();
            writer.finish(SampleTrees.everything(writer));
        }
        byte[] content = Files.readAllBytes(image);
        byte[] expected = Arrays.copyOfRange(content, 4096, content.length + 4096);
        System.arraycopy(content, 0, expected, content.length - 4096, 4096);
        assertThat(seen.toByteArray()).isEqualTo(expected);
    }

    @Test
    void aSparseFileKeepsItsHolesAndADenseOneIsContiguous() throws IOException {
        try (ErofsWriter writer = ErofsWriter.create(directory.resolve("image"))) {
            SparseData holes = writer.sparse(10 * 4096L);
            holes.data(4096, 4097, new ByteArrayInputStream(new byte[4097]));
            assertThat(holes.finish())
                    .isEqualTo(new FileData.Chunked(10 * 4096L, 12, List.of(new FileData.ChunkRun(1, 2, 1))));
            assertThat(writer.sparse(1L << 40).finish()).isEqualTo(new FileData.Chunked(1L << 40, 40, List.of()));
            SparseData dense = writer.sparse(5000);
            dense.data(0, 5000, new ByteArrayInputStream(new byte[5000]));
            assertThat(dense.finish()).isEqualTo(new FileData.Contiguous(5000, 3));
        }
    }

    @Test
    void metadataAloneAddressesWhatFollowsIt() throws IOException {
        Path image = directory.resolve("meta");
        Directory root = new Directory(Attributes.ofRoot(0755));
        root.put(Bytes.utf8("f"), new RegularFile(Attributes.ofRoot(0644), new FileData.Contiguous(9000, 7)));
        long size = ErofsWriter.writeMetadata(image, root, 10);

        try (ErofsReader reader = ErofsReader.openMetadata(image)) {
            assertThat(reader.blocks()).isEqualTo(size / ErofsWriter.BLOCK_BYTES + 10);
            RegularFile read = (RegularFile) reader.tree(ReadLimits.DEFAULT).get(Bytes.utf8("f"));
            assertThat(Objects.requireNonNull(read).data())
                    .isEqualTo(new FileData.Contiguous(9000, size / ErofsWriter.BLOCK_BYTES + 7));
        }
    }

    @Test
    void contentThatEndsEarlyIsNoticed() throws IOException {
        try (ErofsWriter writer = ErofsWriter.create(directory.resolve("image"))) {
            assertThatThrownBy(() -> writer.append(new ByteArrayInputStream(new byte[10]), 11))
                    .isInstanceOf(EOFException.class);
        }
    }

    @Test
    void anUnfinishedImageIsNone() throws IOException {
        Path image = directory.resolve("image");
        try (ErofsWriter writer = ErofsWriter.create(image)) {
            writer.append(new ByteArrayInputStream(new byte[1 << 20]), 1 << 20);
        }
        assertThatThrownBy(() -> ErofsReader.open(image)).isInstanceOf(CorruptErofsException.class);
    }

    @Test
    void moreThanThirtyTwoBitsOfBlocksAreRefused() {
        Directory root = new Directory(Attributes.ofRoot(0755));
        assertThatThrownBy(() -> ErofsWriter.writeMetadata(directory.resolve("meta"), root, 0xffff_fffeL))
                .isInstanceOf(ErofsTooLargeException.class);
    }

    private Directory writeAndRead() throws IOException {
        Path image = directory.resolve("image");
        try (ErofsWriter writer = ErofsWriter.create(image)) {
            writer.finish(SampleTrees.everything(writer));
        }
        try (ErofsReader reader = ErofsReader.open(image)) {
            return reader.tree(ReadLimits.DEFAULT);
        }
    }

    private static void assertSame(Directory read, Directory written) {
        assertThat(read.attributes()).isEqualTo(written.attributes());
        assertThat(read.children().keySet()).isEqualTo(written.children().keySet());
        written.children().forEach((name, expected) -> {
            Inode actual = Objects.requireNonNull(read.get(name));
            assertThat(actual.attributes()).as(name.toString()).isEqualTo(expected.attributes());
            switch (expected) {
                case Directory directory -> assertSame((Directory) actual, directory);
                case RegularFile file ->
                    assertThat(((RegularFile) actual).data()).isEqualTo(file.data());
                case Symlink link -> assertThat(((Symlink) actual).target()).isEqualTo(link.target());
                case SpecialFile special -> {
                    assertThat(((SpecialFile) actual).kind()).isEqualTo(special.kind());
                    assertThat(((SpecialFile) actual).major()).isEqualTo(special.major());
                    assertThat(((SpecialFile) actual).minor()).isEqualTo(special.minor());
                }
            }
        });
    }
}
