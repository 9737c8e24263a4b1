package dev.cloche.linux;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Instant;

/**
 * Says what a file is, from {@code statx(2)}.
 *
 * @param type the type bits of {@code st_mode}, one of the constants here
 * @param permissions the other bits of it, at most 07777
 * @param size in bytes
 * @param allocated bytes that it has of its disk, which are fewer than its size where it has holes
 * @param inode with {@code device} what tells files apart
 */
public record FileStatus(
        int type,
        int permissions,
        long uid,
        long gid,
        long size,
        long allocated,
        Instant modified,
        long inode,
        long device) {
    public static final int FIFO = 0010000;
    public static final int CHARACTER_DEVICE = 0020000;
    public static final int DIRECTORY = 0040000;
    public static final int BLOCK_DEVICE = 0060000;
    public static final int FILE = 0100000;
    public static final int LINK = 0120000;
    public static final int SOCKET = 0140000;

    /** The unit of {@code stx_blocks}, which is not the size of the file system's blocks. */
    private static final int BLOCK = 512;

    private static final int TYPE_BITS = 0170000;
    private static final int PERMISSION_BITS = 07777;

    /** The size of {@code struct statx}. */
    static final int STRUCT_SIZE = 256;
    /** STATX_BASIC_STATS. */
    static final int MASK = 0x7FF;

    // Offsets of include/uapi/linux/stat.h.
    private static final int UID = 20;
    private static final int GID = 24;
    private static final int MODE = 28;
    private static final int INODE = 32;
    private static final int SIZE = 40;
    private static final int BLOCKS = 48;
    private static final int MTIME = 112;
    private static final int DEVICE_MAJOR = 136;

    static FileStatus of(MemorySegment statx) {
        int mode = Short.toUnsignedInt(statx.get(ValueLayout.JAVA_SHORT, MODE));
        return new FileStatus(
                mode & TYPE_BITS,
                mode & PERMISSION_BITS,
                Integer.toUnsignedLong(statx.get(ValueLayout.JAVA_INT, UID)),
                Integer.toUnsignedLong(statx.get(ValueLayout.JAVA_INT, GID)),
                statx.get(ValueLayout.JAVA_LONG, SIZE),
                statx.get(ValueLayout.JAVA_LONG, BLOCKS) * BLOCK,
                Instant.ofEpochSecond(
                        statx.get(ValueLayout.JAVA_LONG, MTIME), statx.get(ValueLayout.JAVA_INT, MTIME + 8)),
                statx.get(ValueLayout.JAVA_LONG, INODE),
                // Both halves, in any order: only equality counts.
                statx.get(ValueLayout.JAVA_LONG, DEVICE_MAJOR));
    }

    public boolean isDirectory() {
        return type == DIRECTORY;
    }

    public boolean isFile() {
        return type == FILE;
    }

    public boolean isLink() {
        return type == LINK;
    }
}
