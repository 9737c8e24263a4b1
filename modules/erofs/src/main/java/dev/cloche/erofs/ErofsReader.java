package dev.cloche.erofs;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Reads the tree of an image that {@link ErofsWriter} wrote. Reading ends for every content of the file, in memory bounded
 * by the limits, with a tree or with {@link CorruptErofsException}: the superblock must be exactly ours, every reference
 * lies inside the image, no directory is reached twice, and names are valid, sorted and unique.
 *
 * <p>The content of files is not read. Not safe for use by several threads.
 */
public final class ErofsReader implements Closeable {
    private final Path file;
    private final FileChannel channel;
    private final BlockInput input;
    private final Superblock superblock;

    private ErofsReader(Path file, FileChannel channel) throws IOException {
        this.file = file;
        this.channel = channel;
        this.input = new BlockInput(file, channel);
        if (input.size() < ErofsFormat.BLOCK || input.size() % ErofsFormat.BLOCK != 0) {
            throw new CorruptErofsException(file, "its length of " + input.size() + " bytes is impossible");
        }
        Superblock decoded = Superblock.decode(input.read(0, ErofsFormat.BLOCK));
        if (decoded == null || decoded.blocks() < input.size() / ErofsFormat.BLOCK) {
            throw new CorruptErofsException(file, "it has no superblock of Cloche");
        }
        this.superblock = decoded;
    }

    /**
     * Opens an image and checks its superblock and its length.
     *
     * @throws CorruptErofsException if it is none that was completely written by {@link ErofsWriter}
     */
    public static ErofsReader open(Path file) throws IOException {
        return open(file, true);
    }

    /**
     * Opens an image of metadata only ({@link ErofsWriter#writeMetadata}), whose content is elsewhere.
     *
     * @throws CorruptErofsException if it is none that was completely written by {@link ErofsWriter}
     */
    public static ErofsReader openMetadata(Path file) throws IOException {
        return open(file, false);
    }

    private static ErofsReader open(Path file, boolean whole) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        try {
            ErofsReader reader = new ErofsReader(file, channel);
            if (whole && reader.blocks() != reader.fileBlocks()) {
                throw new CorruptErofsException(file, "it is shorter than its file system");
            }
            return reader;
        } catch (Throwable failure) {
            channel.close();
            throw failure;
        }
    }

    /** Blocks of the file system: those of the file, and for an image of metadata only also those that follow it. */
    public long blocks() {
        return superblock.blocks();
    }

    /** Blocks of the file itself. */
    public long fileBlocks() {
        return input.size() / ErofsFormat.BLOCK;
    }

    /**
     * Reads the whole tree.
     *
     * @throws CorruptErofsException if the image contradicts itself or exceeds the limits
     */
    public Directory tree(ReadLimits limits) throws IOException {
        return new TreeReader(file, input, superblock, limits).read();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
