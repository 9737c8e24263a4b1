package dev.cloche.vm;

import dev.cloche.base.RawText;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Collects the fields of a payload. */
final class PayloadWriter {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    PayloadWriter u32(int value) {
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            out.write(value >>> shift);
        }
        return this;
    }

    PayloadWriter u64(long value) {
        return u32((int) value).u32((int) (value >>> Integer.SIZE));
    }

    PayloadWriter text(String text) {
        return bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /** A name of a file. */
    PayloadWriter name(String name) {
        return bytes(RawText.encode(name));
    }

    /** A tag and its value. */
    PayloadWriter field(int tag, byte[] value) {
        return u32(tag).bytes(value);
    }

    byte[] toBytes() {
        return out.toByteArray();
    }

    /** The rest of a payload, without a length. */
    PayloadWriter raw(byte[] bytes, int offset, int length) {
        out.write(bytes, offset, length);
        return this;
    }

    private PayloadWriter bytes(byte[] bytes) {
        u32(bytes.length);
        out.writeBytes(bytes);
        return this;
    }
}
