package dev.cloche.erofs;

/**
 * Numbers of the EROFS on-disk format. Source: {@code fs/erofs/erofs_fs.h} and {@code
 * Documentation/filesystems/erofs.rst} of Linux. Cloche uses the part that Linux 5.15 knows already: extended inodes,
 * flat and chunk-based files without device table, blocks of 4 KiB.
 */
final class ErofsFormat {
    static final int BLOCK_BITS = 12;
    static final int BLOCK = 1 << BLOCK_BITS;
    /** Block addresses have 32 bits, and all ones means a hole. */
    static final long MAX_BLOCKS = 0xffff_fffeL;

    static final int NULL_ADDRESS = -1;

    static final int SUPER_OFFSET = 1024;
    static final int SUPER_SIZE = 128;
    static final int MAGIC = 0xE0F5E1E2;
    static final int COMPAT_CHECKSUM = 0x1;
    static final int COMPAT_MTIME = 0x2;
    static final int INCOMPAT_CHUNKED = 0x4;

    /** Inodes are addressed in units of 32 bytes. */
    static final int SLOT = 32;

    static final int INODE = 64;
    static final int EXTENDED = 1;
    static final int FLAT_PLAIN = 0;
    static final int FLAT_INLINE = 2;
    static final int CHUNK_BASED = 4;

    static final int MAX_CHUNK_BITS = BLOCK_BITS + 31;
    static final int CHUNK_BITS_MASK = 0x1f;
    static final int CHUNK_ADDRESS = 4;

    static final int DIRENT = 12;

    static final int S_IFMT = 0170000;
    static final int S_IFSOCK = 0140000;
    static final int S_IFLNK = 0120000;
    static final int S_IFREG = 0100000;
    static final int S_IFBLK = 0060000;
    static final int S_IFDIR = 0040000;
    static final int S_IFCHR = 0020000;
    static final int S_IFIFO = 0010000;

    private ErofsFormat() {}

    /** Blocks that {@code bytes} fill, the last one perhaps in part. */
    static long blocks(long bytes) {
        return (bytes >>> BLOCK_BITS) + ((bytes & (BLOCK - 1)) == 0 ? 0 : 1);
    }
}
