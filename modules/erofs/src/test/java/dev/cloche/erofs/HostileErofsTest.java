package dev.cloche.erofs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostileErofsTest {
    private static final long SEED = 20_260_101;

    @TempDir
    Path directory;

    private byte[] image = new byte[0];

    @BeforeEach
    void writeImage() throws IOException {
        Path file = directory.resolve("image");
        try (ErofsWriter writer = ErofsWriter.create(file)) {
            writer.finish(SampleTrees.everything(writer));
        }
        image = Files.readAllBytes(file);
    }

    @Test
    void anyDamageEndsWithATreeOrWithCorrupt() throws IOException {
        Random random = new Random(SEED);
        int corrupt = 0;
        for (int round = 0; round < 150; round++) {
            byte[] damaged = image.clone();
            int metadata = metadataAt();
            for (int i = 0; i < 3; i++) {
                // Half of the damage goes to the first inodes, which matter most.
                int within = random.nextBoolean() ? 2048 : image.length - metadata;
                damaged[metadata + random.nextInt(within)] = (byte) random.nextInt();
            }
            try {
                read(damaged, ReadLimits.DEFAULT);
            } catch (CorruptErofsException expected) {
                corrupt++;
            }
        }
        assertThat(corrupt).as("seed " + SEED).isBetween(20, 149);
    }

    @Test
    void aDamagedOrForeignSuperblockIsRefused() {
        for (int at = ErofsFormat.SUPER_OFFSET; at < ErofsFormat.SUPER_OFFSET + ErofsFormat.SUPER_SIZE; at++) {
            byte[] damaged = image.clone();
            damaged[at] ^= 1;
            assertCorrupt(damaged);
        }
    }

    @Test
    void aTruncatedImageIsRefused() {
        byte[] blockLess = Arrays.copyOf(image, image.length - ErofsFormat.BLOCK);
        assertCorrupt(blockLess);
        assertCorrupt(Arrays.copyOf(image, image.length - 1));
        assertCorrupt(new byte[0]);
    }

    @Test
    void aDirectoryThatContainsItselfIsRefused() throws IOException {
        Directory root = new Directory(Attributes.ofRoot(0755));
        Directory child = new Directory(Attributes.ofRoot(0755));
        root.put(Bytes.utf8("child"), child);
        child.put(Bytes.utf8("loop"), new Directory(Attributes.ofRoot(0755)));
        Path file = directory.resolve("loop");
        ErofsWriter.writeMetadata(file, root, 0);
        byte[] looped = Files.readAllBytes(file);
        // The entry "loop" is found by its name's block, and made to refer to "child".
        int entry =
                ErofsFormat.BLOCK + (int) (child.nid * ErofsFormat.SLOT) + ErofsFormat.INODE + 2 * ErofsFormat.DIRENT;
        LittleEndian.u64(looped, entry, child.nid);
        assertCorrupt(looped);
    }

    @Test
    void limitsOfEntriesDepthAndMetadataHold() {
        for (ReadLimits limits : new ReadLimits[] {
            new ReadLimits(100, 10, 1 << 30), new ReadLimits(10_000, 1, 1 << 30), new ReadLimits(10_000, 10, 1000)
        }) {
            assertThatThrownBy(() -> read(image, limits)).isInstanceOf(CorruptErofsException.class);
        }
    }

    private void assertCorrupt(byte[] damaged) {
        assertThatThrownBy(() -> read(damaged, ReadLimits.DEFAULT)).isInstanceOf(CorruptErofsException.class);
    }

    private Directory read(byte[] content, ReadLimits limits) throws IOException {
        Path file = directory.resolve("damaged");
        Files.write(file, content);
        try (ErofsReader reader = ErofsReader.open(file)) {
            return reader.tree(limits);
        }
    }

    private int metadataAt() {
        return (int) LittleEndian.u32(image, ErofsFormat.SUPER_OFFSET + 40) * ErofsFormat.BLOCK;
    }
}
