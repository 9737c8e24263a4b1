package dev.cloche.erofs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Feeds arbitrary bytes to the reader of images. The entry for a fuzzer, too: the first two bytes are the number of the
 * root's inode, the others what follows the superblock, whose checksum no fuzzer would find.
 */
final class ImageBytes {
    private static final ReadLimits LIMITS = new ReadLimits(2000, 16, 1 << 20);
    private static final Path FILE = temporary();

    private ImageBytes() {}

    /** For Jazzer, which looks for this name: anything but the typed error is a finding. */
    public static void fuzzerTestOneInput(byte[] bytes) {
        consume(bytes);
    }

    /** Whether it was an image; any error but the typed one is thrown. */
    static boolean consume(byte[] bytes) {
        byte[] input = Arrays.copyOf(bytes, Math.max(2, bytes.length));
        int blocks = 1 + (int) ErofsFormat.blocks(input.length - 2);
        byte[] image = new byte[blocks * ErofsFormat.BLOCK];
        byte[] first = new Superblock(LittleEndian.u16(input, 0), 1, blocks, 1).encode();
        System.arraycopy(first, 0, image, 0, first.length);
        System.arraycopy(input, 2, image, ErofsFormat.BLOCK, input.length - 2);
        try {
            Files.write(FILE, image);
            try (ErofsReader reader = ErofsReader.open(FILE)) {
                walk(reader.tree(LIMITS));
                return true;
            }
        } catch (CorruptErofsException refused) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** An image as the reader knows it, in the form of {@link #consume}. */
    static byte[] inputOf(byte[] image) {
        int metadata = (int) LittleEndian.u32(image, ErofsFormat.SUPER_OFFSET + 40) * ErofsFormat.BLOCK;
        byte[] input = new byte[2 + image.length - metadata];
        System.arraycopy(image, ErofsFormat.SUPER_OFFSET + 14, input, 0, 2);
        System.arraycopy(image, metadata, input, 2, image.length - metadata);
        return input;
    }

    private static void walk(Directory directory) {
        directory.children().forEach((name, child) -> {
            if (!Directory.nameable(name) || child.attributes().permissions() > 07777) {
                throw new AssertionError("a tree that cannot be: " + name);
            }
            if (child instanceof Directory below) {
                walk(below);
            }
        });
    }

    private static Path temporary() {
        try {
            Path memory = Path.of("/dev/shm");
            Path file = Files.isWritable(memory)
                    ? Files.createTempFile(memory, "cloche-fuzz", ".erofs")
                    : Files.createTempFile("cloche-fuzz", ".erofs");
            file.toFile().deleteOnExit();
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
