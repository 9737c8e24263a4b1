package dev.cloche.vmm.protocol;

import dev.cloche.base.RawText;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Collects the fields of a payload. */
public final class PayloadWriter {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    PayloadWriter u32(int value) {
        for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
            out.write(value >>> shift);
        }
        return this;
    }

    public PayloadWriter u64(long value) {
        return u32((int) value).u32((int) (value >>> Integer.SIZE));
    }

    PayloadWriter text(String text) {
        return text(text.getBytes(StandardCharsets.UTF_8));
    }

    PayloadWriter text(byte[] text) {
        u32(text.length);
        out.writeBytes(text);
        return this;
    }

    /** A name of a file. */
    PayloadWriter name(String name) {
        return text(RawText.encode(name));
    }

    /** A tag and its value. */
    PayloadWriter field(int tag, byte[] value) {
        return u32(tag).text(value);
    }

    public byte[] toBytes() {
        return out.toByteArray();
    }

    /** Writes the rest of a payload, without a length. */
    public PayloadWriter raw(byte[] bytes, int offset, int length) {
        out.write(bytes, offset, length);
        return this;
    }
}
