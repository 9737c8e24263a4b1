package dev.cloche.bench;

import dev.cloche.vm.VmResources;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

    private static final Pattern PSS = Pattern.compile("Pss:\\s+(\\d+) kB");

    private final Path initramfs;
    private final Path disk;
    private final Path directory;
    private final BareMachine machine;

    /** @param share where the kernel and the rest are; of each file the first match wins */
    BareQemu(Setting setting, List<Path> share) throws IOException {
        VmResources resources = VmResources.find(share);
        initramfs = resources.kernel().initramfs();
        disk = setting.disk();
        directory = setting.directory();
        machine = new BareMachine(resources, setting.accelerator());
    }

    /** Nanoseconds from the start of QEMU to the end of a first {@code true} and of QEMU. */
    long timeTrue() throws IOException, InterruptedException {
        long begin = System.nanoTime();
        runTrue(qemu -> {});
        return System.nanoTime() - begin;
    }

    /** Memory of QEMU after a first {@code true}, the share of each page that is its own (PSS), in KiB. */
    long memoryAfterTrue() throws IOException, InterruptedException {
        List<String> rollup = new ArrayList<>();
        runTrue(qemu -> rollup.add(Files.readString(Path.of("/proc/" + qemu.pid() + "/smaps_rollup"))));
        Matcher pss = PSS.matcher(rollup.getFirst());
        if (!pss.find()) {
            throw new IllegalStateException("no PSS in " + rollup);
        }
        return Long.parseLong(pss.group(1));
    }

    private interface Look {
        void at(Process qemu) throws IOException;
    }

    private void runTrue(Look afterwards) throws IOException, InterruptedException {
        Path socket = directory.resolve("bare.sock");
        Files.deleteIfExists(socket);
        Process qemu = BareMachine.start(machine.command(
                initramfs,
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
            afterwards.at(qemu);
        } finally {
            qemu.destroyForcibly().waitFor();
        }
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
