package dev.cloche.image.tar;

import dev.cloche.erofs.Bytes;
import dev.cloche.image.CorruptArchiveException;

/** The ways in which tar writes numbers. */
public final class TarNumbers {
    private TarNumbers() {}

    /** Returns a header field: octal digits between blanks or NULs, or, with the highest bit set, a binary number (GNU). */
    static long field(byte[] header, int offset, int length) {
        if (header[offset] < 0) {
            return binary(header, offset, length);
        }
        int begin = offset;
        int end = offset + length;
        while (begin < end && blank(header[begin])) {
            begin++;
        }
        while (end > begin && blank(header[end - 1])) {
            end--;
        }
        long value = 0;
        for (int i = begin; i < end; i++) {
            // Some old writers leave rubbish behind the NUL that ends a number.
            if (blank(header[i])) {
                break;
            }
            int digit = header[i] - '0';
            if (digit < 0 || digit > 7 || value >>> 60 != 0) {
                throw new CorruptArchiveException("a header has a malformed number");
            }
            value = value << 3 | digit;
        }
        return value;
    }

    private static long binary(byte[] header, int offset, int length) {
        boolean negative = (header[offset] & 0x40) != 0;
        long value = negative ? -1 : 0;
        for (int i = 0; i < length; i++) {
            int digit = Byte.toUnsignedInt(header[offset + i]);
            if (i == 0) {
                digit = negative ? digit : digit & 0x7f;
            }
            if (value >> 55 != (negative ? -1 : 0)) {
                throw new CorruptArchiveException("a header has a number of more than 64 bits");
            }
            value = value << 8 | digit;
        }
        return value;
    }

    /** Returns a number of an extended header: decimal digits only, not negative. */
    static long decimal(Bytes text) {
        return decimal(text, 0, text.length());
    }

    static long decimal(Bytes text, int begin, int end) {
        if (begin == end || end - begin > 18) {
            throw new CorruptArchiveException("an extended header has a malformed number");
        }
        long value = 0;
        for (int i = begin; i < end; i++) {
            int digit = text.at(i) - '0';
            if (digit < 0 || digit > 9) {
                throw new CorruptArchiveException("an extended header has a malformed number");
            }
            value = value * 10 + digit;
        }
        return value;
    }

    /** Returns a time of an extended header: decimal seconds, perhaps negative, with any number of decimals. */
    static Time time(Bytes text) {
        boolean negative = !text.isEmpty() && text.at(0) == '-';
        int begin = negative ? 1 : 0;
        int dot = text.indexOf('.', begin);
        int end = dot < 0 ? text.length() : dot;
        long seconds = decimal(text, begin, end);
        int nanos = 0;
        boolean more = false;
        if (dot >= 0) {
            int scale = 100_000_000;
            for (int i = dot + 1; i < text.length(); i++) {
                int digit = text.at(i) - '0';
                if (digit < 0 || digit > 9) {
                    throw new CorruptArchiveException("an extended header has a malformed time");
                }
                nanos += digit * scale;
                more |= scale == 0 && digit != 0;
                scale /= 10;
            }
        }
        if (!negative) {
            return new Time(seconds, nanos);
        }
        // Towards the past, as the kernel rounds; so 1 ns more if digits were cut.
        int total = nanos + (more ? 1 : 0);
        return total == 0 ? new Time(-seconds, 0) : new Time(-seconds - 1, 1_000_000_000 - total);
    }

    private static boolean blank(byte value) {
        return value == ' ' || value == 0;
    }

    /** Seconds since 1970 and 0 to 999,999,999 nanoseconds after. */
    public record Time(long seconds, int nanos) {}
}
