package dev.cloche.vmm.protocol;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;

/** Writes frames of the guest protocol; pure. */
public final class FrameEncoder {
    /** The largest message that MORE may join: 1 MiB. */
    public static final int MAX_MESSAGE = 1 << 20;

    private FrameEncoder() {}

    /** Returns one frame, ready to be written. */
    public static ByteBuffer frame(int type, int stream, int request, byte[] payload) {
        return frame(type, stream, request, payload, 0, payload.length);
    }

    public static ByteBuffer frame(int type, int stream, int request, byte[] payload, int offset, int length) {
        ByteBuffer out = allocate(Frame.HEADER + length + Frame.SEAL);
        put(out, type, false, stream, request, payload, offset, length);
        return out.flip();
    }

    /** Returns a message that may be larger than a frame, as consecutive frames. */
    static ByteBuffer message(int type, int stream, int request, byte[] payload) {
        if (payload.length > MAX_MESSAGE) {
            throw new IllegalArgumentException("a message is at most 1 MiB: " + payload.length);
        }
        int frames = Math.max(1, Math.ceilDiv(payload.length, Frame.MAX_PAYLOAD));
        ByteBuffer out = allocate(payload.length + frames * (Frame.HEADER + Frame.SEAL));
        for (int i = 0; i < frames; i++) {
            int offset = i * Frame.MAX_PAYLOAD;
            int length = Math.min(Frame.MAX_PAYLOAD, payload.length - offset);
            put(out, type, i < frames - 1, stream, request, payload, offset, length);
        }
        return out.flip();
    }

    /** Returns what opens a connection: zeros that complete a frame which a predecessor left unfinished, then RESET. */
    public static ByteBuffer opening(long nonce) {
        ByteBuffer out = allocate(Frame.MAX_PAYLOAD + Frame.SEAL + Frame.HEADER + Long.BYTES + Frame.SEAL);
        out.position(Frame.MAX_PAYLOAD + Frame.SEAL);
        return putReset(out, nonce);
    }

    /** Returns what opens a connection whose predecessor has left no frame unfinished: RESET alone. */
    public static ByteBuffer reset(long nonce) {
        return putReset(allocate(Frame.HEADER + Long.BYTES + Frame.SEAL), nonce);
    }

    private static ByteBuffer putReset(ByteBuffer out, long nonce) {
        byte[] payload = new PayloadWriter().u64(nonce).toBytes();
        put(out, Frame.RESET, false, 0, 0, payload, 0, payload.length);
        return out.flip();
    }

    public static ByteBuffer allocate(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    public static ByteBuffer wrap(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void put(
            ByteBuffer out, int type, boolean more, int stream, int request, byte[] payload, int offset, int length) {
        int start = out.position();
        out.putInt(Frame.MAGIC)
                .putShort((short) type)
                .putShort((short) (more ? Frame.FLAG_MORE : 0))
                .putInt(stream)
                .putInt(request)
                .putInt(length);
        CRC32 crc = new CRC32();
        crc.update(out.slice(start, out.position() - start));
        int sum = (int) crc.getValue();
        out.putInt(sum).put(payload, offset, length).putInt(~sum);
    }
}
