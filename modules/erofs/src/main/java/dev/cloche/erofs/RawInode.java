package dev.cloche.erofs;

/**
 * Describes an extended inode as it stands on disk, not yet checked.
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
                LittleEndian.u16(encoded, 0),
                LittleEndian.u16(encoded, 2),
                LittleEndian.u16(encoded, 4),
                LittleEndian.u64(encoded, 8),
                LittleEndian.s32(encoded, 16),
                LittleEndian.s32(encoded, 24),
                LittleEndian.s32(encoded, 28),
                LittleEndian.u64(encoded, 32),
                LittleEndian.s32(encoded, 40),
                LittleEndian.s32(encoded, 44));
    }

    boolean extended() {
        return (format & ~(7 << 1)) == ErofsFormat.EXTENDED;
    }

    int dataLayout() {
        return format >>> 1;
    }

    int type() {
        return mode & ErofsFormat.S_IFMT;
    }

    long placeUnsigned() {
        return Integer.toUnsignedLong(place);
    }

    /** Returns where the content behind the inode and its extended attributes begins. */
    long behind() {
        return position + ErofsFormat.INODE + XattrCodec.sizeOfCount(xattrCount);
    }
}
