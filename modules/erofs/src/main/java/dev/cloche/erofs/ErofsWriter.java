package dev.cloche.erofs;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Writes an uncompressed EROFS image in one pass: first the content of files, as it arrives and each byte once, then the
 * tree's metadata, and last the superblock, so that an unfinished image has none. The same calls give the same bytes.
 *
 * <p>The format is the one of Linux ({@code Documentation/filesystems/erofs.rst}, {@code fs/erofs/erofs_fs.h}), with
 * features that Linux 5.15 and erofs-utils 1.5 know. Memory use does not depend on the content, only on the tree.
 *
 * <p>Not safe for use by several threads.
 */
public final class ErofsWriter implements Closeable {
    /** Bytes of a block, the unit of every address. */
    public static final int BLOCK_BYTES = ErofsFormat.BLOCK;

    private final FileChannel channel;
    private final BlockOutput out;
    private boolean sparseOpen;
    private boolean finished;

    private ErofsWriter(FileChannel channel, WrittenBytes observer) throws IOException {
        this.channel = channel;
        this.out = new BlockOutput(channel, observer);
        out.zeros(ErofsFormat.BLOCK);
    }

    /** Opens an image for writing; a file that exists already is emptied. */
    public static ErofsWriter create(Path file) throws IOException {
        return create(file, (_, _, _) -> {});
    }

    /**
     * Does as {@link #create(Path)}.
     *
     * @param observer sees the image while it is written
     */
    public static ErofsWriter create(Path file, WrittenBytes observer) throws IOException {
        FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
        try {
            return new ErofsWriter(channel, observer);
        } catch (Throwable failure) {
            channel.close();
            throw failure;
        }
    }

    /** Returns the bytes written so far, rounded up to blocks. */
    public long position() {
        return ErofsFormat.blocks(out.position()) * ErofsFormat.BLOCK;
    }

    /**
     * Moves the content of a file, exactly {@code size} bytes, from {@code source} into the image.
     *
     * @throws java.io.EOFException if the source ends before
     */
    public FileData append(InputStream source, long size) throws IOException {
        checkOpen();
        if (size == 0) {
            return FileData.empty();
        }
        FileData data = new FileData.Contiguous(size, nextBlock(size));
        out.transfer(source, size);
        out.alignToBlock();
        return data;
    }

    /** Begins the content of a sparse file of {@code size} bytes, at least 1. */
    public SparseData sparse(long size) {
        checkOpen();
        if (size < 1) {
            throw new IllegalArgumentException("a sparse file of " + size + " bytes");
        }
        SparseData sparse = new SparseData(this, out, size);
        sparseOpen = true;
        return sparse;
    }

    void sparseFinished() {
        sparseOpen = false;
    }

    /**
     * Completes the image. It is not on the disk yet: to force it there is up to the caller, who may have other work to do
     * meanwhile.
     *
     * @return the size of the image in bytes, a multiple of 4 KiB
     * @throws ErofsTooLargeException if it has more blocks than can be addressed
     */
    public long finish(Directory root) throws IOException {
        return finish(new MetadataLayout(root), 0, 0);
    }

    /**
     * Writes an image of metadata only, without forcing it to disk. Its files' content is in what follows the image on
     * the disk; addresses in the tree count from the beginning of that.
     *
     * @param dataBlocks how many blocks follow
     * @return the size of the image without what follows, in bytes, a multiple of 4 KiB
     * @throws ErofsTooLargeException if all together has more blocks than can be addressed
     */
    public static long writeMetadata(Path file, Directory root, long dataBlocks) throws IOException {
        try (ErofsWriter writer = create(file)) {
            MetadataLayout layout = new MetadataLayout(root);
            return writer.finish(layout, 1 + layout.blocks(), dataBlocks);
        }
    }

    private long finish(MetadataLayout layout, long dataShift, long blocksBehind) throws IOException {
        checkOpen();
        finished = true;
        long metadataBlock = out.position() >>> ErofsFormat.BLOCK_BITS;
        long blocks = metadataBlock + layout.blocks() + blocksBehind;
        if (blocks > ErofsFormat.MAX_BLOCKS) {
            throw new ErofsTooLargeException(blocks + " blocks of 4 KiB");
        }
        new MetadataEncoder(layout, metadataBlock, dataShift, out).write();
        out.flush();
        Superblock superblock = new Superblock(
                (int) layout.inodes().getFirst().nid, layout.inodes().size(), blocks, metadataBlock);
        out.firstBlock(superblock.encode());
        return out.position();
    }

    /** Address of the next block, if {@code size} bytes from there on can be addressed. */
    long nextBlock(long size) {
        long block = out.position() >>> ErofsFormat.BLOCK_BITS;
        if (ErofsFormat.blocks(size) > ErofsFormat.MAX_BLOCKS - block) {
            throw new ErofsTooLargeException(size + " more bytes at block " + block);
        }
        return block;
    }

    private void checkOpen() {
        if (finished || sparseOpen) {
            throw new IllegalStateException(finished ? "the image is finished" : "a sparse file is not finished");
        }
    }

    /** Closes the file; an image that was not finished stays without a superblock. */
    @Override
    public void close() throws IOException {
        channel.close();
    }
}
