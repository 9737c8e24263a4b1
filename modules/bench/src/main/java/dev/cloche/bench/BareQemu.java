package dev.cloche.bench;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32;

/**
 * The honest alternative to {@code cloche run}: QEMU with the same kernel, initramfs, disk, memory and accelerator,
 * started by itself, without a guard, records or an image store, and just enough of the guest protocol to have one
 * command executed.
 */
final class BareQemu {
    private static final int HEADER = 24;
    private static final int MAX_PAYLOAD = 65_536;
    private static final int RESET = 0x01;
    private static final int EXEC = 0x04;
    private static final int HELLO = 0x83;
    private static final int EXITED = 0x89;

    private final Path share;
    private final Path disk;
    private final Path directory;
    private final BareMachine machine;

    BareQemu(Setting setting) throws IOException {
        share = setting.share();
        disk = setting.disk();
        directory = setting.directory();
        machine = new BareMachine(share, setting.accelerator());
    }

    /** Nanoseconds from the start of QEMU to the end of a first {@code true} and of QEMU. */
    long timeTrue() throws IOException, InterruptedException {
        Path socket = directory.resolve("bare.sock");
        Files.deleteIfExists(socket);
        long begin = System.nanoTime();
        Process qemu = BareMachine.start(machine.command(
                share.resolve("initramfs"),
                socket,
                "-drive",
                "if=none,id=root,file=" + disk + ",format=vmdk,readonly=on",
                "-device",
                "virtio-blk-device,drive=root"));
        try (SocketChannel channel = BareMachine.connect(socket, qemu)) {
            channel.write(ByteBuffer.allocate(MAX_PAYLOAD + 4));
            send(
                    channel,
                    RESET,
                    0,
                    ByteBuffer.allocate(8)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .putLong(42)
                            .array());
            awaitFrame(channel, HELLO);
            send(channel, EXEC, 1, exec());
            awaitFrame(channel, EXITED);
        } finally {
            qemu.destroyForcibly().waitFor();
        }
        return System.nanoTime() - begin;
    }

    private static byte[] exec() {
        ByteBuffer body = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN);
        body.putInt(0).putInt(1 << 20).putInt(1);
        text(body, "true");
        body.putInt(1);
        text(body, "PATH=/bin:/usr/bin");
        text(body, "/");
        text(body, "");
        byte[] bytes = new byte[body.position()];
        body.flip().get(bytes);
        return bytes;
    }

    private static void text(ByteBuffer body, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        body.putInt(bytes.length).put(bytes);
    }

    private static void send(SocketChannel channel, int type, int request, byte[] payload) throws IOException {
        ByteBuffer frame = ByteBuffer.allocate(HEADER + payload.length + 4).order(ByteOrder.LITTLE_ENDIAN);
        frame.put("CLH1".getBytes(StandardCharsets.US_ASCII))
                .putShort((short) type)
                .putShort((short) 0);
        frame.putInt(0).putInt(request).putInt(payload.length);
        CRC32 crc = new CRC32();
        crc.update(frame.array(), 0, HEADER - 4);
        frame.putInt((int) crc.getValue())
                .put(payload)
                .putInt(~(int) crc.getValue())
                .flip();
        while (frame.hasRemaining()) {
            channel.write(frame);
        }
    }

    private static void awaitFrame(SocketChannel channel, int wanted) throws IOException {
        while (true) {
            ByteBuffer header = read(channel, HEADER);
            int type = header.getShort(4);
            read(channel, header.getInt(16) + 4);
            if (type == (short) wanted) {
                return;
            }
        }
    }

    private static ByteBuffer read(SocketChannel channel, int length) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new EOFException("QEMU closed the connection");
            }
        }
        return buffer.flip();
    }
}
