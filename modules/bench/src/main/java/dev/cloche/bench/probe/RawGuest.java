package dev.cloche.bench.probe;

import dev.cloche.qemu.VmResources;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Boots a guest that moves bytes over one virtio-serial port and does nothing else: what the device itself can do. */
public final class RawGuest implements AutoCloseable {
    private static final int ECHO = 1;
    private static final int SOURCE = 2;
    private static final int SINK = 3;
    private static final int PIPED_SOURCE = 4;
    private static final int PIPED_SINK = 5;
    private static final int TALKER = 6;

    private final Process qemu;
    private final SocketChannel channel;

    private RawGuest(Process qemu, SocketChannel channel) {
        this.qemu = qemu;
        this.channel = channel;
    }

    /** Boots one, and returns when it has echoed. */
    public static RawGuest boot(Setting setting) throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory(setting.directory(), "raw");
        setting.compile("raw.c", directory.resolve("cloche-agent"));
        Setting.run(
                setting.root().resolve("guest/mkinitramfs.sh").toString(),
                setting.share().resolve("kernel").toString(),
                directory.toString());
        Path socket = directory.resolve("raw.sock");
        BareMachine machine = new BareMachine(VmResources.find(List.of(setting.share())), setting);
        Process qemu = BareMachine.start(machine.diskless(directory.resolve("initramfs"), socket));
        RawGuest guest = new RawGuest(qemu, BareMachine.connect(socket, qemu));
        var _ = guest.echo(8, 1);
        return guest;
    }

    /** Returns the nanoseconds of each round trip of {@code size} bytes. */
    public long[] echo(int size, int rounds) throws IOException {
        command(ECHO, size, (long) size * rounds);
        ByteBuffer piece = ByteBuffer.allocate(size);
        long[] nanos = new long[rounds];
        for (int i = 0; i < rounds; i++) {
            long begin = System.nanoTime();
            write(piece.clear());
            read(piece.clear());
            nanos[i] = System.nanoTime() - begin;
        }
        return nanos;
    }

    /** Returns the nanoseconds until so many bytes have come from the guest. */
    public long source(int piece, long bytes) throws IOException {
        return takeFrom(SOURCE, piece, bytes);
    }

    /** Does as {@link #source}, but another process of the guest writes the bytes, into a pipe that the first one empties. */
    public long pipedSource(int piece, long bytes) throws IOException {
        return takeFrom(PIPED_SOURCE, piece, bytes);
    }

    /** Does as {@link #pipedSource}, but the other process writes 4 KiB at a time. */
    public long talker(int piece, long bytes) throws IOException {
        return takeFrom(TALKER, piece, bytes);
    }

    private long takeFrom(int what, int piece, long bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(256 * 1024);
        long begin = System.nanoTime();
        command(what, piece, bytes);
        for (long left = bytes; left > 0; ) {
            buffer.clear().limit((int) Math.min(left, buffer.capacity()));
            int n = channel.read(buffer);
            if (n < 0) {
                throw new EOFException("the raw guest is gone");
            }
            left -= n;
        }
        return System.nanoTime() - begin;
    }

    /** Returns the nanoseconds until the guest has taken so many bytes. */
    public long sink(int piece, long bytes) throws IOException {
        return giveTo(SINK, piece, bytes);
    }

    /** Does as {@link #sink}, but another process of the guest reads the bytes, from a pipe that the first one fills. */
    public long pipedSink(int piece, long bytes) throws IOException {
        return giveTo(PIPED_SINK, piece, bytes);
    }

    private long giveTo(int what, int piece, long bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(piece);
        long begin = System.nanoTime();
        command(what, piece, bytes);
        for (long left = bytes; left > 0; ) {
            buffer.clear().limit((int) Math.min(left, piece));
            left -= buffer.limit();
            write(buffer);
        }
        read(ByteBuffer.allocate(1));
        return System.nanoTime() - begin;
    }

    private void command(int what, int piece, long bytes) throws IOException {
        write(ByteBuffer.allocate(16)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(what)
                .putInt(piece)
                .putLong(bytes)
                .flip());
    }

    private void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    private void read(ByteBuffer target) throws IOException {
        while (target.hasRemaining()) {
            if (channel.read(target) < 0) {
                throw new EOFException("the raw guest is gone");
            }
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
        qemu.destroyForcibly().onExit().join();
    }
}
