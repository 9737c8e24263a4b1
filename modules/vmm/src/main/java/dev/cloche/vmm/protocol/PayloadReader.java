package dev.cloche.vmm.protocol;

import dev.cloche.base.Printable;
import dev.cloche.vm.GuestException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Reads the fields of a payload and trusts none of them: a field that does not fit is a
 * {@link GuestException.ProtocolBroken}.
 */
public final class PayloadReader {
    private final ByteBuffer payload;
    private final String name;

    public PayloadReader(String name, ByteBuffer payload) {
        this.name = name;
        this.payload = payload;
    }

    public int u32() {
        need(Integer.BYTES);
        return payload.getInt();
    }

    /** Returns a number that must fit into an {@code int}, within a range. */
    public int u32(int least, int most) {
        int value = u32();
        if (value < least || value > most) {
            throw bad("has a number outside of its range: " + Integer.toUnsignedString(value));
        }
        return value;
    }

    /** Returns a number that must fit into a {@code long}. */
    public long u63() {
        need(Long.BYTES);
        long value = payload.getLong();
        if (value < 0) {
            throw bad("has a number outside of its range: " + Long.toUnsignedString(value));
        }
        return value;
    }

    public long u64() {
        need(Long.BYTES);
        return payload.getLong();
    }

    byte[] text(int most) {
        int length = u32(0, Math.min(most, Integer.MAX_VALUE));
        need(length);
        byte[] bytes = new byte[length];
        payload.get(bytes);
        return bytes;
    }

    /** Returns a text to be shown to people: control characters, which could fool a terminal, are replaced. */
    String sentence(int most) {
        return Printable.of(new String(text(most), StandardCharsets.UTF_8));
    }

    /** Returns the rest, as a view. */
    public ByteBuffer rest() {
        return payload;
    }

    void end() {
        if (payload.hasRemaining()) {
            throw bad("is too long");
        }
    }

    GuestException.ProtocolBroken bad(String what) {
        return new GuestException.ProtocolBroken(name + " " + what);
    }

    private void need(int bytes) {
        if (payload.remaining() < bytes) {
            throw bad("is too short");
        }
    }
}
