package dev.cloche.bench;

import dev.cloche.vm.KernelImage;
import dev.cloche.vm.VmResources;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
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

    private final VmResources resources;
    private final KernelImage kernel;
    private final Path disk;
    private final Path directory;
    private final String accelerator;
    private final String kernelParameters;

    /** @param share where the kernel and the rest are; of each file the first match wins */
    BareQemu(List<Path> share, Path disk, Path directory, String accelerator) throws IOException {
        this.resources = VmResources.find(share);
        this.kernel = resources.kernel();
        this.disk = disk;
        this.directory = directory;
        this.accelerator = accelerator;
        this.kernelParameters = "console=ttyS0 quiet panic=-1 reboot=t rdinit=/init cryptomgr.notests "
                + String.join(" ", kernel.facts().parameters()) + counterFrequency();
    }

    /** As docs/vm.md has it: under emulation the guest is told the frequency of its time stamp counter. */
    private String counterFrequency() throws IOException {
        if (accelerator.equals("kvm")) {
            return "";
        }
        Process meter = new ProcessBuilder(resources.clockMeter().toString()).start();
        String frequency = new String(meter.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
        return frequency.isEmpty() ? "" : " tsc=reliable tsc_early_khz=" + frequency;
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
        Process qemu = new ProcessBuilder(command(socket))
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (SocketChannel channel = connect(socket, qemu)) {
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

    private List<String> command(Path socket) {
        return List.of(
                "qemu-system-x86_64",
                "-M",
                "microvm,acpi=" + (kernel.facts().acpi() ? "on" : "off"),
                "-nodefaults",
                "-no-user-config",
                "-display",
                "none",
                "-no-reboot",
                "-accel",
                accelerator,
                "-cpu",
                accelerator.equals("kvm") ? "host" : "max",
                "-m",
                "512",
                "-smp",
                "1",
                "-kernel",
                kernel.kernel().toString(),
                "-initrd",
                kernel.initramfs().toString(),
                "-append",
                kernelParameters,
                "-drive",
                "if=none,id=root,file=" + disk + ",format=vmdk,readonly=on",
                "-device",
                "virtio-blk-device,drive=root",
                "-device",
                "virtio-serial-device,max_ports=16",
                "-chardev",
                "socket,id=c0,path=" + socket + ",server=on,wait=off",
                "-device",
                "virtserialport,chardev=c0,name=cloche.0,nr=1");
    }

    /** QEMU makes the socket when it is ready for it; until then there is nothing but to look again. */
    private static SocketChannel connect(Path socket, Process qemu) throws IOException, InterruptedException {
        while (true) {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                channel.connect(UnixDomainSocketAddress.of(socket));
                return channel;
            } catch (IOException notYet) {
                channel.close();
                if (!qemu.isAlive()) {
                    throw new IllegalStateException("QEMU ended with " + qemu.exitValue(), notYet);
                }
                Thread.sleep(1);
            }
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
