package dev.cloche.bench.probe;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Runs the honest alternative to a restored VM: QEMU started by itself with the files of the very same snapshot,
 * scripted, without guard, sandbox, records, checks of the files, and goodbye.
 */
public final class BareClone implements AutoCloseable {
    private final Process qemu;
    private final SocketChannel monitorChannel;
    private final BareMonitor monitor;
    private final SocketChannel channel;
    private final BareGuest guest;

    private BareClone(Process qemu, SocketChannel monitorChannel, BareMonitor monitor, SocketChannel channel) {
        this.qemu = qemu;
        this.monitorChannel = monitorChannel;
        this.monitor = monitor;
        this.channel = channel;
        guest = new BareGuest(channel);
    }

    /**
     * Restores one, to where it has an identity and takes commands.
     *
     * @param directory an empty one for its sockets
     */
    public static BareClone restore(BareMachine machine, BootedTemplate template, Path directory)
            throws IOException, InterruptedException {
        Path port = directory.resolve("port");
        Path qmp = directory.resolve("qmp");
        Path migration = directory.resolve("migration");
        for (Path socket : new Path[] {port, qmp, migration}) {
            Files.deleteIfExists(socket);
        }
        Process qemu = BareMachine.start(machine.cloneCommand(template, port, qmp));
        try {
            SocketChannel monitorChannel = BareMachine.connect(qmp, qemu);
            BareMonitor monitor = new BareMonitor(monitorChannel);
            load(monitor, template.state(), migration);
            BareClone clone = new BareClone(qemu, monitorChannel, monitor, BareMachine.connect(port, qemu));
            clone.guest.greet();
            clone.guest.configure();
            return clone;
        } catch (IOException | RuntimeException e) {
            qemu.destroyForcibly().waitFor();
            throw e;
        }
    }

    private static void load(BareMonitor monitor, Path state, Path socket) throws IOException {
        monitor.execute("""
                {"execute":"migrate-set-capabilities","arguments":{"capabilities":[\
                {"capability":"x-ignore-shared","state":true},{"capability":"events","state":true}]}}""");
        monitor.execute("{\"execute\":\"migrate-incoming\",\"arguments\":{\"uri\":\"unix:" + socket + "\"}}");
        try (SocketChannel incoming = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            incoming.connect(UnixDomainSocketAddress.of(socket));
            ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(state));
            while (bytes.hasRemaining()) {
                incoming.write(bytes);
            }
        }
        monitor.await("\"completed\"");
        monitor.execute("{\"execute\":\"cont\"}");
    }

    /**
     * Halts the guest, writes its memory and its devices to a file, and lets it go on.
     *
     * @return how long it was halted, in nanoseconds
     */
    public long save(Path file, Path socket) throws IOException {
        Files.deleteIfExists(socket);
        monitor.execute("{\"execute\":\"migrate-set-parameters\",\"arguments\":{\"max-bandwidth\":1099511627776}}");
        long begin = System.nanoTime();
        halt();
        try (ServerSocketChannel listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                FileChannel out = FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE)) {
            listening.bind(UnixDomainSocketAddress.of(socket));
            monitor.execute("{\"execute\":\"migrate\",\"arguments\":{\"uri\":\"unix:" + socket + "\"}}");
            try (SocketChannel in = listening.accept()) {
                ByteBuffer piece = ByteBuffer.allocateDirect(1 << 20);
                while (in.read(piece) >= 0) {
                    piece.flip();
                    while (piece.hasRemaining()) {
                        out.write(piece);
                    }
                    piece.clear();
                }
            }
        }
        monitor.await("\"completed\"");
        goOn();
        return System.nanoTime() - begin;
    }

    void halt() throws IOException {
        monitor.execute("{\"execute\":\"stop\"}");
    }

    void goOn() throws IOException {
        monitor.execute("{\"execute\":\"cont\"}");
    }

    public BareGuest guest() {
        return guest;
    }

    public long pid() {
        return qemu.pid();
    }

    @Override
    public void close() throws IOException {
        channel.close();
        monitorChannel.close();
        qemu.destroyForcibly().onExit().join();
    }
}
