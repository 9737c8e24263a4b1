package dev.cloche.erofs;

import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Describes the superblock, at byte 1024 of the image.
 *
 * @param rootNid number of the root's inode, 16 bits
 * @param inodes how many inodes there are
 * @param blocks size of the whole image, content included
 * @param metadataBlock where the metadata area begins
 */
record Superblock(int rootNid, long inodes, long blocks, long metadataBlock) {

    /** Returns the first block of the image. */
    byte[] encode() {
        byte[] block = new byte[ErofsFormat.BLOCK];
        int at = ErofsFormat.SUPER_OFFSET;
        LittleEndian.u32(block, at, ErofsFormat.MAGIC);
        LittleEndian.u32(block, at + 8, ErofsFormat.COMPAT_CHECKSUM | ErofsFormat.COMPAT_MTIME);
        block[at + 12] = ErofsFormat.BLOCK_BITS;
        LittleEndian.u16(block, at + 14, rootNid);
        LittleEndian.u64(block, at + 16, inodes);
        LittleEndian.u32(block, at + 36, (int) blocks);
        LittleEndian.u32(block, at + 40, (int) metadataBlock);
        LittleEndian.u32(block, at + 80, ErofsFormat.INCOMPAT_CHUNKED);
        LittleEndian.u32(block, at + 4, checksum(block));
        return block;
    }

    /** Decodes a first block; {@code null} if Cloche cannot have written it, or not completely. */
    static @Nullable Superblock decode(byte[] block) {
        int at = ErofsFormat.SUPER_OFFSET;
        Superblock decoded = new Superblock(
                LittleEndian.u16(block, at + 14),
                LittleEndian.u64(block, at + 16),
                LittleEndian.u32(block, at + 36),
                LittleEndian.u32(block, at + 40));
        return Arrays.equals(block, decoded.encode()) ? decoded : null;
    }

    /**
     * CRC-32C from the superblock to the end of the first block, with the checksum field as 0. The kernel leaves out
     * the final inversion that Java makes.
     */
    private static int checksum(byte[] block) {
        CRC32C crc = new CRC32C();
        crc.update(block, ErofsFormat.SUPER_OFFSET, ErofsFormat.BLOCK - ErofsFormat.SUPER_OFFSET);
        return ~(int) crc.getValue();
    }
}
