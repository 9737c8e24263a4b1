package dev.cloche.bench.probe;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.zip.CRC32;

/**
 * Speaks just enough of the guest protocol (docs/guest-protocol.md) to have one command executed in a guest that is
 * trusted.
 */
public final class BareGuest {
    private static final int HEADER = 24;
    private static final int SEAL = 4;
    private static final int MAX_PAYLOAD = 65_536;

    private static final int RESET = 0x01;
    private static final int PING = 0x02;
    private static final int CONFIGURE = 0x03;
    private static final int EXEC = 0x04;
    private static final int QUIESCE = 0x14;
    private static final int HELLO = 0x83;
    private static final int PONG = 0x82;
    private static final int DONE = 0x84;
    private static final int FAILED = 0x85;
    private static final int EXITED = 0x89;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final SocketChannel channel;

    BareGuest(SocketChannel channel) {
        this.channel = channel;
    }

    /** Returns at its hello. */
    void greet() throws IOException {
        write(ByteBuffer.allocate(MAX_PAYLOAD + SEAL));
        send(RESET, 0, payload(8).putLong(42));
        await(HELLO);
    }

    /** Gives it the same parts of an identity that Cloche gives a clone. */
    void configure() throws IOException {
        ByteBuffer body = payload(512);
        field(body, 1, "bare".getBytes(StandardCharsets.US_ASCII));
        field(
                body,
                2,
                payload(8).putLong(System.currentTimeMillis() * 1_000_000).array());
        field(body, 3, random(64));
        field(body, 4, HexFormat.of().formatHex(random(16)).getBytes(StandardCharsets.US_ASCII));
        send(CONFIGURE, 1, body);
        await(DONE);
    }

    /** From here on it takes no work without an identity. */
    void quiesce() throws IOException {
        send(QUIESCE, 4, payload(0));
        await(DONE);
    }

    public void runTrue() throws IOException {
        ByteBuffer body = payload(256);
        body.putInt(0).putInt(1 << 20).putInt(1 << 16);
        body.putInt(1);
        text(body, "true");
        body.putInt(1);
        text(body, "PATH=/bin:/usr/bin");
        text(body, "/");
        text(body, "");
        body.putInt(0).putInt(0).putInt(0);
        send(EXEC, 2, body);
        await(EXITED);
    }

    public void ping() throws IOException {
        send(PING, 3, payload(8).putLong(7));
        await(PONG);
    }

    private static ByteBuffer payload(int capacity) {
        return ByteBuffer.allocate(capacity).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        RANDOM.nextBytes(bytes);
        return bytes;
    }

    private static void text(ByteBuffer body, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        body.putInt(bytes.length).put(bytes);
    }

    private static void field(ByteBuffer body, int tag, byte[] value) {
        body.putInt(tag).putInt(value.length).put(value);
    }

    private void send(int type, int request, ByteBuffer body) throws IOException {
        body.flip();
        ByteBuffer frame = payload(HEADER + body.remaining() + SEAL);
        frame.put("CLH1".getBytes(StandardCharsets.US_ASCII))
                .putShort((short) type)
                .putShort((short) 0);
        frame.putInt(0).putInt(request).putInt(body.remaining());
        CRC32 crc = new CRC32();
        crc.update(frame.duplicate().flip());
        frame.putInt((int) crc.getValue())
                .put(body)
                .putInt(~(int) crc.getValue())
                .flip();
        write(frame);
    }

    private void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    private void await(int wanted) throws IOException {
        while (true) {
            ByteBuffer header = read(HEADER);
            int type = header.getShort(4) & 0xFFFF;
            ByteBuffer rest = read(header.getInt(16) + SEAL);
            if (type == FAILED) {
                throw new IllegalStateException(
                        "the guest refuses: " + StandardCharsets.UTF_8.decode(rest.position(8)));
            }
            if (type == wanted) {
                return;
            }
        }
    }

    private ByteBuffer read(int length) throws IOException {
        ByteBuffer buffer = payload(length);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new EOFException("QEMU closed the connection");
            }
        }
        return buffer.flip();
    }
}
