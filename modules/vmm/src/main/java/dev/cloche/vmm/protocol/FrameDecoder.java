package dev.cloche.vmm.protocol;

import dev.cloche.vm.GuestException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * Finds frames in the bytes that a guest (or, in the in-memory guest, a host) sends. Pure: no I/O, and never more memory
 * than for two frames.
 *
 * <p>While it searches, everything that is no frame is skipped, as after connecting, when the rest of another's
 * conversation may arrive. Once it is {@linkplain #becomeStrict strict}, that is an error.
 */
public final class FrameDecoder {
    private static final int CAPACITY = 2 * Frame.MAX_SIZE;

    private final ByteBuffer buffer =
            ByteBuffer.allocate(CAPACITY).order(ByteOrder.LITTLE_ENDIAN).limit(0);
    private final CRC32 crc = new CRC32();
    private boolean strict;

    /**
     * Discards everything up to and with these bytes.
     *
     * @return false if they have not arrived yet
     */
    public boolean skipPast(byte[] sequence) {
        while (buffer.remaining() >= sequence.length) {
            if (buffer.slice(buffer.position(), sequence.length).equals(ByteBuffer.wrap(sequence))) {
                buffer.position(buffer.position() + sequence.length);
                return true;
            }
            buffer.position(buffer.position() + 1);
        }
        return false;
    }

    /** Treats all bytes that are no frame as an error from now on. */
    public void becomeStrict() {
        strict = true;
    }

    /**
     * Returns where to put the bytes that arrive next, at least one. Use it and then call {@link #filled}; frames given out
     * before are void.
     */
    public ByteBuffer space() {
        buffer.compact();
        return buffer;
    }

    /** Says that {@link #space()} has been filled up to its position. */
    public void filled() {
        buffer.flip();
    }

    /**
     * Returns the next whole frame; empty if more bytes are needed.
     *
     * @throws GuestException.ProtocolBroken if this decoder is strict and the bytes are no frame
     */
    public Optional<Frame> next() {
        while (buffer.remaining() >= Frame.HEADER) {
            int start = buffer.position();
            int length = buffer.getInt(start + 16);
            int flags = Short.toUnsignedInt(buffer.getShort(start + 6));
            if (!headerIsRight(start, flags, length)) {
                skip("a header is damaged");
                continue;
            }
            int size = Frame.HEADER + length + Frame.SEAL;
            if (buffer.remaining() < size) {
                return Optional.empty();
            }
            if (buffer.getInt(start + Frame.HEADER + length) != ~buffer.getInt(start + 20)) {
                skip("a frame has no seal");
                continue;
            }
            buffer.position(start + size);
            return Optional.of(new Frame(
                    Short.toUnsignedInt(buffer.getShort(start + 4)),
                    flags == Frame.FLAG_MORE,
                    buffer.getInt(start + 8),
                    buffer.getInt(start + 12),
                    buffer.slice(start + Frame.HEADER, length)
                            .asReadOnlyBuffer()
                            .order(ByteOrder.LITTLE_ENDIAN)));
        }
        return Optional.empty();
    }

    private boolean headerIsRight(int start, int flags, int length) {
        if (buffer.getInt(start) != Frame.MAGIC
                || (flags & ~Frame.FLAG_MORE) != 0
                || length < 0
                || length > Frame.MAX_PAYLOAD) {
            return false;
        }
        crc.reset();
        crc.update(buffer.slice(start, 20));
        return (int) crc.getValue() == buffer.getInt(start + 20);
    }

    private void skip(String what) {
        if (strict) {
            throw new GuestException.ProtocolBroken(what);
        }
        buffer.position(buffer.position() + 1);
    }
}
