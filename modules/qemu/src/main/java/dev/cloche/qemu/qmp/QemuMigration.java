package dev.cloche.qemu.qmp;

import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.base.Printable;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.VmWaits;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The state of a halted guest, out of QEMU into a file and back, as a migration through a Unix socket: the one kind that
 * QEMU's seccomp filter, QEMU 7.2 and later ones all take (docs/vm.md).
 */
public final class QemuMigration {
    /** Bytes a second, beyond what anything can do. QEMU holds back to 128 MiB otherwise. */
    private static final long UNLIMITED = 1L << 40;

    private static final int BUFFER = 1 << 20;

    private final QmpConnection qemu;
    private final Path socket;
    private final Deadline deadline;

    /** @param socket a free path for the time of the migration */
    public QemuMigration(QmpConnection qemu, Path socket, Deadline deadline) {
        this.qemu = qemu;
        this.socket = socket;
        this.deadline = deadline;
    }

    /**
     * Writes the state of a guest that is halted already, without forcing it to disk.
     *
     * @param withMemory whether to include memory; otherwise it must be in a shared file
     * @param limit more bytes are an error: QEMU is trusted no more than its guest
     */
    public void save(Path target, boolean withMemory, long limit) throws IOException {
        prepare(!withMemory);
        Files.deleteIfExists(socket);
        boolean saved;
        CompletableFuture<Long> received;
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            received = inBackground(server, () -> receive(server, target, limit));
            var _ = qemu.execute(new QmpCommand("migrate", Map.of("uri", "unix:" + socket)));
            saved = qemu.migrated();
            if (saved) {
                var _ = VmWaits.on(received, deadline, "the state of the guest");
            }
        } finally {
            Files.deleteIfExists(socket);
        }
        if (!saved) {
            throw new IOException(failure(received));
        }
    }

    /** Loads what {@link #save} wrote into a QEMU that waits for it; the guest stays halted. */
    public void load(Path source, boolean withMemory) throws IOException {
        prepare(!withMemory);
        Files.deleteIfExists(socket);
        try {
            var _ = qemu.execute(new QmpCommand("migrate-incoming", Map.of("uri", "unix:" + socket)));
            try (SocketChannel channel = UnixChannels.connect(socket, deadline)) {
                CompletableFuture<Long> sent = inBackground(channel, () -> send(source, channel));
                if (!qemu.migrated()) {
                    throw new IOException("QEMU could not load the guest");
                }
                var _ = VmWaits.on(sent, deadline, "the state of the guest");
            }
        } finally {
            Files.deleteIfExists(socket);
        }
    }

    /** Returns the reader's own failure, a full disk for example, before what QEMU makes of it. */
    private String failure(CompletableFuture<Long> received) throws IOException {
        try {
            var _ = VmWaits.on(received, deadline, "the state of the guest");
        } catch (VmException.Storage e) {
            if (!(e.getCause() instanceof ClosedChannelException)) {
                throw e;
            }
        }
        String why =
                qemu.execute(QmpCommand.of("query-migrate")).texts().getOrDefault("error-desc", "without a reason");
        return "QEMU could not save the guest: " + Printable.of(why);
    }

    private void prepare(boolean ignoreShared) throws IOException {
        List<Map<String, Object>> capabilities = List.of(
                Map.of("capability", "x-ignore-shared", "state", ignoreShared),
                Map.of("capability", "events", "state", true));
        var _ = qemu.execute(new QmpCommand("migrate-set-capabilities", Map.of("capabilities", capabilities)));
        var _ = qemu.execute(new QmpCommand("migrate-set-parameters", Map.of("max-bandwidth", UNLIMITED)));
    }

    private interface Transfer {
        long run() throws IOException;
    }

    /** In a thread of its own, because the monitor has to be listened to meanwhile; closing {@code channel} ends it. */
    private static CompletableFuture<Long> inBackground(Channel channel, Transfer transfer) {
        CompletableFuture<Long> done = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("cloche-migration").start(() -> {
            try {
                done.complete(transfer.run());
            } catch (IOException e) {
                done.completeExceptionally(new VmException.Storage(
                        "The state of a guest could not be transferred: " + e.getMessage(),
                        "Check the space on the disk of the state root.",
                        e));
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
        var _ = done.whenComplete((_, failure) -> {
            if (failure != null) {
                try {
                    channel.close();
                } catch (IOException second) {
                    failure.addSuppressed(second);
                }
            }
        });
        return done;
    }

    private static long receive(ServerSocketChannel server, Path target, long limit) throws IOException {
        try (SocketChannel from = server.accept();
                FileChannel to = DurableFiles.create(target)) {
            return copy(from, to, limit);
        }
    }

    private static long send(Path source, SocketChannel to) throws IOException {
        try (FileChannel from = FileChannel.open(source, StandardOpenOption.READ)) {
            long size = copy(from, to, Long.MAX_VALUE);
            to.shutdownOutput();
            return size;
        }
    }

    private static long copy(ReadableByteChannel from, WritableByteChannel to, long limit) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
        long total = 0;
        while (from.read(buffer) >= 0) {
            total += buffer.position();
            if (total > limit) {
                throw new IOException("it has more than " + limit + " bytes");
            }
            buffer.flip();
            while (buffer.hasRemaining()) {
                to.write(buffer);
            }
            buffer.clear();
        }
        return total;
    }
}
