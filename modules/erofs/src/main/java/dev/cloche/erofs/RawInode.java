package dev.cloche.erofs;

/**
 * An extended inode as it stands on disk, not yet checked.
 *
 * @param position byte offset in the image
 * @param format version and data layout
 * @param place block address, device number or chunk format
 */
record RawInode(
        long position,
        int format,
        int xattrCount,
        int mode,
        long size,
        int place,
        int uid,
        int gid,
        long seconds,
        int nanos,
        int links) {

    static RawInode decode(long position, byte[] encoded) {
        return new RawInode(
                position,
                Little.u16(encoded, 0),
                Little.u16(encoded, 2),
                Little.u16(encoded, 4),
                Little.u64(encoded, 8),
                Little.s32(encoded, 16),
                Little.s32(encoded, 24),
                Little.s32(encoded, 28),
                Little.u64(encoded, 32),
                Little.s32(encoded, 40),
                Little.s32(encoded, 44));
    }

    boolean extended() {
        return (format & ~(7 << 1)) == Format.EXTENDED;
    }

    int dataLayout() {
        return format >>> 1;
    }

    int type() {
        return mode & Format.S_IFMT;
    }

    long placeUnsigned() {
        return Integer.toUnsignedLong(place);
    }

    /** Where the content behind the inode and its extended attributes begins. */
    long behind() {
        return position + Format.INODE + XattrCodec.sizeOfCount(xattrCount);
    }
}
