package dev.cloche.image;

import dev.cloche.erofs.Bytes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Makes archives byte by byte, so that they can also be wrong. */
final class TarBuilder {
    private final ByteArrayOutputStream archive = new ByteArrayOutputStream();
    private Map<String, byte[]> pax = new LinkedHashMap<>();

    TarBuilder directory(String path, int mode) {
        return entry(header(path, '5', 0).octal(100, mode), new byte[0]);
    }

    TarBuilder file(String path, String content) {
        return file(path, bytes(content));
    }

    TarBuilder file(String path, byte[] content) {
        return entry(header(path, '0', content.length), content);
    }

    TarBuilder symlink(String path, String target) {
        return entry(header(path, '2', 0).text(157, target), new byte[0]);
    }

    TarBuilder hardLink(String path, String target) {
        return entry(header(path, '1', 0).text(157, target), new byte[0]);
    }

    TarBuilder device(String path, char type, int major, int minor) {
        return entry(header(path, type, 0).octal(329, major).octal(337, minor), new byte[0]);
    }

    TarBuilder fifo(String path) {
        return entry(header(path, '6', 0), new byte[0]);
    }

    /** Adds a record to the extended header of the next entry. */
    TarBuilder pax(String key, byte[] value) {
        pax.put(key, value);
        return this;
    }

    TarBuilder pax(String key, String value) {
        return pax(key, bytes(value));
    }

    /** Adds a global extended header with one record. */
    TarBuilder global(String key, String value) {
        byte[] record = record(key, bytes(value));
        return write(header("global", 'g', record.length), record);
    }

    TarBuilder entry(Header header, byte[] content) {
        if (!pax.isEmpty()) {
            ByteArrayOutputStream records = new ByteArrayOutputStream();
            pax.forEach((key, value) -> records.writeBytes(record(key, value)));
            pax = new LinkedHashMap<>();
            write(header("pax", 'x', records.size()), records.toByteArray());
        }
        return write(header, content);
    }

    private TarBuilder write(Header header, byte[] content) {
        archive.writeBytes(header.encode());
        archive.writeBytes(content);
        archive.writeBytes(new byte[-content.length & 511]);
        return this;
    }

    TarBuilder raw(byte[] bytes) {
        archive.writeBytes(bytes);
        return this;
    }

    byte[] unfinished() {
        return archive.toByteArray();
    }

    byte[] bytes() {
        ByteArrayOutputStream finished = new ByteArrayOutputStream();
        finished.writeBytes(archive.toByteArray());
        finished.writeBytes(new byte[1024]);
        return finished.toByteArray();
    }

    InputStream stream() {
        return new ByteArrayInputStream(bytes());
    }

    static Header header(String path, char type, long size) {
        return new Header()
                .text(0, path)
                .octal(100, 0644)
                .octal(108, 0)
                .octal(116, 0)
                .octal12(124, size)
                .octal12(136, 1_700_000_000)
                .text(156, String.valueOf(type))
                .text(257, "ustar")
                .text(263, "00");
    }

    static byte[] record(String key, byte[] value) {
        int rest = bytes(key).length + value.length + 3;
        int length = rest + String.valueOf(rest).length();
        length = rest + String.valueOf(length).length();
        ByteArrayOutputStream record = new ByteArrayOutputStream();
        record.writeBytes(bytes(length + " " + key + "="));
        record.writeBytes(value);
        record.write('\n');
        return record.toByteArray();
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A header block under construction. */
    static final class Header {
        private final byte[] block = new byte[512];

        Header text(int offset, String text) {
            return raw(offset, TarBuilder.bytes(text));
        }

        Header raw(int offset, byte[] content) {
            Bytes.of(content).copyTo(block, offset);
            return this;
        }

        Header octal(int offset, long value) {
            return text(offset, String.format("%07o", value));
        }

        Header octal12(int offset, long value) {
            return text(offset, String.format("%011o", value));
        }

        byte[] encode() {
            text(148, "        ");
            int sum = 0;
            for (byte value : block) {
                sum += Byte.toUnsignedInt(value);
            }
            text(148, String.format("%06o", sum)).raw(154, new byte[] {0});
            return block.clone();
        }
    }
}
