package dev.cloche.erofs;

import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The superblock, at byte 1024 of the image.
 *
 * @param rootNid number of the root's inode, 16 bits
 * @param inodes how many inodes there are
 * @param blocks size of the whole image, content included
 * @param metadataBlock where the metadata area begins
 */
record Superblock(int rootNid, long inodes, long blocks, long metadataBlock) {

    /** The first block of the image. */
    byte[] encode() {
        byte[] block = new byte[Format.BLOCK];
        int at = Format.SUPER_OFFSET;
        Little.u32(block, at, Format.MAGIC);
        Little.u32(block, at + 8, Format.COMPAT_CHECKSUM | Format.COMPAT_MTIME);
        block[at + 12] = Format.BLOCK_BITS;
        Little.u16(block, at + 14, rootNid);
        Little.u64(block, at + 16, inodes);
        Little.u32(block, at + 36, (int) blocks);
        Little.u32(block, at + 40, (int) metadataBlock);
        Little.u32(block, at + 80, Format.INCOMPAT_CHUNKED);
        Little.u32(block, at + 4, checksum(block));
        return block;
    }

    /** Decodes a first block; {@code null} if Cloche cannot have written it, or not completely. */
    static @Nullable Superblock decode(byte[] block) {
        int at = Format.SUPER_OFFSET;
        Superblock decoded = new Superblock(
                Little.u16(block, at + 14),
                Little.u64(block, at + 16),
                Little.u32(block, at + 36),
                Little.u32(block, at + 40));
        return Arrays.equals(block, decoded.encode()) ? decoded : null;
    }

    /**
     * CRC-32C from the superblock to the end of the first block, with the checksum field as 0. The kernel leaves out
     * the final inversion that Java makes.
     */
    private static int checksum(byte[] block) {
        CRC32C crc = new CRC32C();
        crc.update(block, Format.SUPER_OFFSET, Format.BLOCK - Format.SUPER_OFFSET);
        return ~(int) crc.getValue();
    }
}
