package dev.cloche.erofs;

import java.io.IOException;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Extended attributes behind their inode: a header of 12 bytes, then entries of a 4-byte head, name and value, each
 * padded to 4 bytes. Cloche never shares attributes between inodes.
 */
final class XattrCodec {
    static final int MAX_NAME = 255;
    static final int MAX_VALUE = 65_535;
    static final int HEADER = 12;
    static final int UNIT = 4;
    /** What the 16-bit count of the inode can express. */
    static final int MAX_SIZE = HEADER + UNIT * (65_535 - 1);

    private XattrCodec() {}

    /** Bytes behind the inode, 0 where there are no attributes; may exceed {@link #MAX_SIZE}. */
    static long size(Xattrs xattrs) {
        if (xattrs.isEmpty()) {
            return 0;
        }
        long[] size = {HEADER};
        xattrs.forEach((name, value) -> size[0] += entrySize(name, value));
        return size[0];
    }

    /** Returns the value of the inode's {@code i_xattr_icount}. */
    static int count(Xattrs xattrs) {
        return xattrs.isEmpty() ? 0 : 1 + (int) (size(xattrs) - HEADER) / UNIT;
    }

    static long sizeOfCount(int count) {
        return count == 0 ? 0 : HEADER + (long) UNIT * (count - 1);
    }

    static void write(Xattrs xattrs, BlockOutput out) throws IOException {
        if (xattrs.isEmpty()) {
            return;
        }
        byte[] encoded = new byte[(int) size(xattrs)];
        int[] at = {HEADER};
        xattrs.forEach((name, value) -> {
            XattrPrefix prefix = prefixOf(name);
            Bytes suffix = name.slice(prefix.text().length(), name.length());
            encoded[at[0]] = (byte) suffix.length();
            encoded[at[0] + 1] = (byte) prefix.index();
            LittleEndian.u16(encoded, at[0] + 2, value.length());
            suffix.copyTo(encoded, at[0] + UNIT);
            value.copyTo(encoded, at[0] + UNIT + suffix.length());
            at[0] += entrySize(name, value);
        });
        out.write(encoded, 0, encoded.length);
    }

    /** Decodes what {@link #write} wrote; {@code null} where it cannot have been written by it. */
    static @Nullable Xattrs read(byte[] encoded) {
        if (encoded.length == 0) {
            return Xattrs.NONE;
        }
        if (encoded[4] != 0) {
            return null;
        }
        TreeMap<Bytes, Bytes> values = new TreeMap<>();
        int at = HEADER;
        while (at < encoded.length) {
            int nameLength = Byte.toUnsignedInt(encoded[at]);
            int valueLength = LittleEndian.u16(encoded, at + 2);
            XattrPrefix prefix = XattrPrefix.of(Byte.toUnsignedInt(encoded[at + 1]));
            int end = at + UNIT + nameLength + valueLength;
            if (prefix == null || end > encoded.length) {
                return null;
            }
            byte[] name = new byte[prefix.text().length() + nameLength];
            prefix.text().copyTo(name, 0);
            System.arraycopy(encoded, at + UNIT, name, prefix.text().length(), nameLength);
            Bytes key = Bytes.of(name);
            Bytes value = Bytes.of(encoded, at + UNIT + nameLength, valueLength);
            if (!Xattrs.representable(key, value) || values.put(key, value) != null) {
                return null;
            }
            at = (end + UNIT - 1) / UNIT * UNIT;
        }
        return Xattrs.of(values);
    }

    private static int entrySize(Bytes name, Bytes value) {
        int bytes = UNIT + name.length() - prefixOf(name).text().length() + value.length();
        return (bytes + UNIT - 1) / UNIT * UNIT;
    }

    private static XattrPrefix prefixOf(Bytes name) {
        XattrPrefix prefix = XattrPrefix.of(name);
        if (prefix == null) {
            throw new IllegalArgumentException("EROFS has no name space for the extended attribute " + name);
        }
        return prefix;
    }
}
