package dev.cloche.image.tar;

import dev.cloche.erofs.Bytes;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.TreeMap;

/**
 * Writes what stands before the content of an entry: a header of POSIX ustar and, where that has no room for a fact, an
 * extended one before it (POSIX {@code pax}; {@code SCHILY.xattr} for extended attributes; version 1.0 of GNU's sparse files,
 * whose map follows the header). The same entry gives the same bytes always. Stateless.
 */
public final class TarEntryHeader {
    private static final int NAME_BYTES = 100;
    private static final int TARGET_AT = 157;
    private static final long ID_END = 1L << 21;
    private static final long LENGTH_END = 1L << 33;
    private static final Bytes ROOT = Bytes.utf8("./");
    private static final Bytes EXTENDED = Bytes.utf8("PaxHeaders/entry");

    private final ByteArrayOutputStream records = new ByteArrayOutputStream();

    private TarEntryHeader() {}

    /** Returns all blocks before the data of the entry, which is no hard link; an empty path is that of the root. */
    public static byte[] of(TarEntry entry) {
        return new TarEntryHeader().blocks(entry);
    }

    /** Returns how many bytes fill up content of this length to a whole block. */
    public static int padding(long length) {
        return (int) (-length & (TarInput.BLOCK - 1));
    }

    private byte[] blocks(TarEntry entry) {
        byte[] map = entry.sparse() ? map(entry) : new byte[0];
        long stored = map.length
                + entry.segments().stream().mapToLong(DataSegment::length).sum();
        Bytes path = shown(entry);
        byte[] header = new byte[TarInput.BLOCK];
        text(header, 0, NAME_BYTES, "path", path, !entry.sparse());
        text(header, TARGET_AT, NAME_BYTES, "linkpath", entry.linkTarget(), true);
        octal(header, 100, 8, entry.permissions());
        number(header, 108, 8, "uid", Integer.toUnsignedLong(entry.uid()), ID_END);
        number(header, 116, 8, "gid", Integer.toUnsignedLong(entry.gid()), ID_END);
        number(header, 124, 12, "size", stored, LENGTH_END);
        time(header, entry.modified());
        if (entry.sparse()) {
            record("GNU.sparse.major", Bytes.utf8("1"));
            record("GNU.sparse.minor", Bytes.utf8("0"));
            record("GNU.sparse.name", path);
            record("GNU.sparse.realsize", Bytes.utf8(Long.toString(entry.size())));
        }
        new TreeMap<>(entry.xattrs()).forEach((name, value) -> record("SCHILY.xattr." + coded(name), value));
        octal(header, 329, 8, entry.major());
        octal(header, 337, 8, entry.minor());
        seal(header, type(entry.type()));
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        if (records.size() > 0) {
            byte[] before = new byte[TarInput.BLOCK];
            EXTENDED.copyTo(before, 0);
            octal(before, 100, 8, 0644);
            octal(before, 108, 8, 0);
            octal(before, 116, 8, 0);
            octal(before, 124, 12, records.size());
            octal(before, 136, 12, 0);
            seal(before, 'x');
            all.writeBytes(before);
            all.writeBytes(records.toByteArray());
            all.writeBytes(new byte[padding(records.size())]);
        }
        all.writeBytes(header);
        all.writeBytes(map);
        return all.toByteArray();
    }

    private static Bytes shown(TarEntry entry) {
        if (entry.path().isEmpty()) {
            return ROOT;
        }
        return entry.type() == TarEntry.Type.DIRECTORY ? joined(entry.path(), "/") : entry.path();
    }

    private static byte[] map(TarEntry entry) {
        StringBuilder lines = new StringBuilder();
        lines.append(entry.segments().size()).append('\n');
        for (DataSegment segment : entry.segments()) {
            lines.append(segment.offset()).append('\n').append(segment.length()).append('\n');
        }
        byte[] text = lines.toString().getBytes(StandardCharsets.US_ASCII);
        byte[] blocks = new byte[text.length + padding(text.length)];
        System.arraycopy(text, 0, blocks, 0, text.length);
        return blocks;
    }

    private static char type(TarEntry.Type type) {
        return switch (type) {
            case REGULAR -> '0';
            case HARD_LINK -> throw new IllegalArgumentException("hard links are not written");
            case SYMLINK -> '2';
            case CHARACTER_DEVICE -> '3';
            case BLOCK_DEVICE -> '4';
            case DIRECTORY -> '5';
            case FIFO -> '6';
        };
    }

    /** Puts a text into its field, cut where it is too long, and then whole into a record if it may have one. */
    private void text(byte[] header, int at, int room, String key, Bytes text, boolean recorded) {
        text.slice(0, Math.min(text.length(), room)).copyTo(header, at);
        if (text.length() > room && recorded) {
            record(key, text);
        }
    }

    private void number(byte[] header, int at, int length, String key, long value, long end) {
        octal(header, at, length, value < end ? value : 0);
        if (value >= end) {
            record(key, Bytes.utf8(Long.toString(value)));
        }
    }

    /** A time before 1970 counts its decimals towards the past. */
    private void time(byte[] header, TarNumbers.Time time) {
        boolean fits = time.seconds() >= 0 && time.seconds() < LENGTH_END;
        octal(header, 136, 12, fits ? time.seconds() : 0);
        if (fits && time.nanos() == 0) {
            return;
        }
        boolean turned = time.seconds() < 0 && time.nanos() > 0;
        long whole = Math.abs(turned ? time.seconds() + 1 : time.seconds());
        int decimals = turned ? 1_000_000_000 - time.nanos() : time.nanos();
        String text = (time.seconds() < 0 ? "-" : "")
                + whole
                + (decimals == 0
                        ? ""
                        : "." + Integer.toString(1_000_000_000 + decimals).substring(1));
        record("mtime", Bytes.utf8(text));
    }

    /** A record begins with its own length, whose digits count. */
    private void record(String key, Bytes value) {
        byte[] name = key.getBytes(StandardCharsets.ISO_8859_1);
        int rest = 1 + name.length + 1 + value.length() + 1;
        int length = rest + Integer.toString(rest).length();
        length = rest + Integer.toString(length).length();
        records.writeBytes(Integer.toString(length).getBytes(StandardCharsets.US_ASCII));
        records.write(' ');
        records.writeBytes(name);
        records.write('=');
        records.writeBytes(value.toArray());
        records.write('\n');
    }

    /** Returns a name as a key has it: an equals sign would end it. One character for each byte. */
    private static String coded(Bytes name) {
        return new String(name.toArray(), StandardCharsets.ISO_8859_1)
                .replace("%", "%25")
                .replace("=", "%3D");
    }

    private static Bytes joined(Bytes path, String end) {
        byte[] all = new byte[path.length() + end.length()];
        path.copyTo(all, 0);
        Bytes.utf8(end).copyTo(all, path.length());
        return Bytes.of(all);
    }

    private static void seal(byte[] header, char type) {
        header[156] = (byte) type;
        put(header, 257, "ustar");
        put(header, 263, "00");
        put(header, 148, "        ");
        int sum = 0;
        for (byte value : header) {
            sum += Byte.toUnsignedInt(value);
        }
        put(header, 148, String.format("%06o", sum));
        header[154] = 0;
    }

    /** Ends with a NUL, which the block has. */
    private static void octal(byte[] header, int at, int length, long value) {
        String digits = Long.toOctalString(value);
        put(header, at, "0".repeat(length - 1 - digits.length()) + digits);
    }

    private static void put(byte[] header, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, header, at, bytes.length);
    }
}
