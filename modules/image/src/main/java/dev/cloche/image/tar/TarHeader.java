package dev.cloche.image.tar;

import dev.cloche.erofs.Bytes;
import dev.cloche.image.CorruptArchiveException;

/**
 * One header block of 512 bytes: v7, POSIX ustar, GNU or star. Layout as in POSIX {@code pax} and in the GNU tar
 * manual, "Basic Tar Format".
 */
final class TarHeader {
    private static final Bytes POSIX = Bytes.of(new byte[] {'u', 's', 't', 'a', 'r', 0});
    private static final Bytes GNU = Bytes.utf8("ustar  ");
    private static final Bytes STAR_END = Bytes.of(new byte[] {'t', 'a', 'r', 0});

    private final byte[] block;

    /** @param block the header, which must not change afterwards */
    TarHeader(byte[] block) {
        this.block = block;
        checkSum();
    }

    /** Old writers added the bytes up as signed numbers; both sums are accepted everywhere. */
    private void checkSum() {
        long unsigned = 0;
        long signed = 0;
        for (int i = 0; i < block.length; i++) {
            byte value = i >= 148 && i < 156 ? (byte) ' ' : block[i];
            unsigned += Byte.toUnsignedInt(value);
            signed += value;
        }
        long expected = TarNumbers.field(block, 148, 8);
        if (expected != unsigned && expected != signed) {
            throw new CorruptArchiveException("a header's checksum is wrong");
        }
    }

    Bytes path() {
        Bytes name = text(0, 100);
        if (!at(257, POSIX)) {
            return name;
        }
        Bytes prefix = text(345, at(508, STAR_END) ? 131 : 155);
        if (prefix.isEmpty()) {
            return name;
        }
        byte[] joined = new byte[prefix.length() + 1 + name.length()];
        prefix.copyTo(joined, 0);
        joined[prefix.length()] = '/';
        name.copyTo(joined, prefix.length() + 1);
        return Bytes.of(joined);
    }

    int mode() {
        return (int) TarNumbers.field(block, 100, 8) & 07777;
    }

    long uid() {
        return TarNumbers.field(block, 108, 8);
    }

    long gid() {
        return TarNumbers.field(block, 116, 8);
    }

    long size() {
        return TarNumbers.field(block, 124, 12);
    }

    long seconds() {
        return TarNumbers.field(block, 136, 12);
    }

    char type() {
        return (char) Byte.toUnsignedInt(block[156]);
    }

    Bytes linkTarget() {
        return text(157, 100);
    }

    long major() {
        return device(329);
    }

    long minor() {
        return device(337);
    }

    private long device(int offset) {
        return at(257, POSIX) || at(257, GNU) ? TarNumbers.field(block, offset, 8) : 0;
    }

    /** Returns the raw block, for the old GNU format of sparse files. */
    byte[] block() {
        return block;
    }

    private Bytes text(int offset, int length) {
        int end = offset;
        while (end < offset + length && block[end] != 0) {
            end++;
        }
        return Bytes.of(block, offset, end - offset);
    }

    private boolean at(int offset, Bytes expected) {
        return Bytes.of(block, offset, expected.length()).equals(expected);
    }
}
