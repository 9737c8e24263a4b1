package dev.cloche.machine.archive;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The few forms of tar (POSIX.1-2001, pax) that archives of machines have: regular files, each with a pax header where its
 * length or its holes need one. Reading takes nothing else. Stateless.
 */
public final class TarEntries {
    static final int BLOCK = 512;
    private static final int NAME_BYTES = 100;
    private static final int SIZE_AT = 124;
    private static final int SUM_AT = 148;
    private static final int TYPE_AT = 156;
    private static final int MAGIC_AT = 257;
    private static final int MAX_PAX = 4096;
    private static final long OCTAL_LIMIT = 1L << 33;

    private TarEntries() {}

    /** Describes an entry's header. Its content follows, padded to whole blocks. */
    public record Entry(String name, long size, Map<String, String> pax) {}

    public static void write(OutputStream out, Entry entry) throws IOException {
        Map<String, String> pax = new LinkedHashMap<>(entry.pax());
        if (entry.size() >= OCTAL_LIMIT) {
            pax.put("size", String.valueOf(entry.size()));
        }
        if (!pax.isEmpty()) {
            StringBuilder records = new StringBuilder();
            pax.forEach((key, value) -> records.append(record(key, value)));
            byte[] bytes = records.toString().getBytes(StandardCharsets.UTF_8);
            out.write(header("pax/" + entry.name(), bytes.length, 'x'));
            out.write(bytes);
            pad(out, bytes.length);
        }
        out.write(header(entry.name(), entry.size() >= OCTAL_LIMIT ? 0 : entry.size(), '0'));
    }

    public static void pad(OutputStream out, long written) throws IOException {
        out.write(new byte[padding(written)]);
    }

    /** Two empty blocks. */
    static void end(OutputStream out) throws IOException {
        out.write(new byte[2 * BLOCK]);
    }

    static int padding(long size) {
        return (int) ((BLOCK - size % BLOCK) % BLOCK);
    }

    /**
     * Returns the next entry's header; empty at the end.
     *
     * @throws IOException if it is none of the forms above
     */
    static Optional<Entry> read(InputStream in) throws IOException {
        byte[] block = block(in);
        if (isZero(block)) {
            if (!isZero(block(in))) {
                throw new IOException("something stands behind its end");
            }
            return Optional.empty();
        }
        Map<String, String> pax = Map.of();
        if (block[TYPE_AT] == 'x') {
            long size = size(block);
            if (size > MAX_PAX) {
                throw new IOException("a header of it is too long");
            }
            pax = records(exactly(in, (int) size));
            skipPadding(in, size);
            block = block(in);
        }
        if (block[TYPE_AT] != '0') {
            throw new IOException("an entry of it is no regular file");
        }
        long size = size(block);
        if (pax.containsKey("size")) {
            size = number(pax.get("size"));
        }
        return Optional.of(new Entry(text(block, 0, NAME_BYTES), size, pax));
    }

    static void skipPadding(InputStream in, long size) throws IOException {
        if (!isZero(exactly(in, padding(size)))) {
            throw new IOException("its padding is not empty");
        }
    }

    static byte[] exactly(InputStream in, int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new IOException("it ends too early");
        }
        return bytes;
    }

    /** Returns a decimal number that is not negative. */
    static long number(@Nullable String text) throws IOException {
        if (text == null
                || text.isEmpty()
                || text.length() > 18
                || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new IOException("a number of it is none");
        }
        return Long.parseLong(text);
    }

    private static byte[] block(InputStream in) throws IOException {
        return exactly(in, BLOCK);
    }

    private static byte[] header(String name, long size, char type) {
        byte[] block = new byte[BLOCK];
        put(block, 0, name);
        put(block, 100, "0000600\0" + "0000000\0" + "0000000\0" + octal(size) + "\0" + octal(0) + "\0");
        put(block, SUM_AT, "        ");
        block[TYPE_AT] = (byte) type;
        put(block, MAGIC_AT, "ustar\00000");
        put(block, SUM_AT, String.format(Locale.ROOT, "%06o\0 ", sum(block)));
        return block;
    }

    private static String octal(long value) {
        return String.format(Locale.ROOT, "%011o", value);
    }

    private static void put(byte[] block, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, block, at, bytes.length);
    }

    private static long size(byte[] block) throws IOException {
        byte[] plain = block.clone();
        put(plain, SUM_AT, "        ");
        if (octalNumber(text(block, SUM_AT, 7)) != sum(plain)
                || !text(block, MAGIC_AT, 6).equals("ustar")) {
            throw new IOException("a header of it is damaged");
        }
        return octalNumber(text(block, SIZE_AT, 12));
    }

    private static long octalNumber(String text) throws IOException {
        if (text.isEmpty() || !text.chars().allMatch(c -> c >= '0' && c <= '7')) {
            throw new IOException("a header of it is damaged");
        }
        return Long.parseLong(text, 8);
    }

    private static int sum(byte[] block) {
        int sum = 0;
        for (byte b : block) {
            sum += b & 0xFF;
        }
        return sum;
    }

    private static String text(byte[] block, int at, int length) {
        int end = at;
        while (end < at + length && block[end] != 0) {
            end++;
        }
        return new String(block, at, end - at, StandardCharsets.ISO_8859_1);
    }

    /** {@code LENGTH KEY=VALUE\n}, where LENGTH counts itself. */
    private static String record(String key, String value) {
        String rest = " " + key + "=" + value + "\n";
        int length = rest.length() + 1;
        while (String.valueOf(length).length() + rest.length() != length) {
            length++;
        }
        return length + rest;
    }

    private static Map<String, String> records(byte[] bytes) throws IOException {
        Map<String, String> records = new LinkedHashMap<>();
        String text = new String(bytes, StandardCharsets.UTF_8);
        for (String line : text.split("\n", -1)) {
            int blank = line.indexOf(' ');
            int equals = line.indexOf('=');
            if (line.isEmpty()) {
                continue;
            }
            if (blank < 1 || equals < blank || number(line.substring(0, blank)) != line.length() + 1) {
                throw new IOException("a header of it is damaged");
            }
            records.put(line.substring(blank + 1, equals), line.substring(equals + 1));
        }
        return records;
    }

    private static boolean isZero(byte[] bytes) {
        for (byte b : bytes) {
            if (b != 0) {
                return false;
            }
        }
        return true;
    }
}
