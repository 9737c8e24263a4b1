package dev.cloche.qemu.qmp;

import dev.cloche.base.Deadline;
import dev.cloche.vm.VmException;
import dev.cloche.vmm.VmWaits;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Connects to Unix sockets. */
public final class UnixChannels {
    private static final long TRY_AGAIN_MILLIS = 20;

    private UnixChannels() {}

    /**
     * Does not wait for the other side to accept: the kernel queues the connection. If the queue is full, because a program that
     * hangs has not taken those before, it is tried again up to the deadline.
     *
     * @throws VmException.Deadline if it is full up to then
     */
    public static SocketChannel connect(Path path, Deadline deadline) throws IOException {
        Optional<SocketChannel> connected = tryConnect(path);
        while (connected.isEmpty()) {
            if (deadline.passed()) {
                throw new VmException.Deadline("a connection to " + path.getFileName());
            }
            try {
                TimeUnit.MILLISECONDS.sleep(TRY_AGAIN_MILLIS);
            } catch (InterruptedException e) {
                throw VmWaits.interrupted("a connection to " + path.getFileName());
            }
            connected = tryConnect(path);
        }
        return connected.get();
    }

    /** Empty if the queue is full: the kernel never begins a connection of this kind that it would finish later. */
    private static Optional<SocketChannel> tryConnect(Path path) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.configureBlocking(false);
            if (!connects(channel, path)) {
                channel.close();
                return Optional.empty();
            }
            channel.configureBlocking(true);
            return Optional.of(channel);
        } catch (Throwable failure) {
            try {
                channel.close();
            } catch (IOException second) {
                failure.addSuppressed(second);
            }
            throw failure;
        }
    }

    /** The JDK has no exception of its own for EAGAIN; of the other errors of its class, none is of a socket that is ours. */
    private static boolean connects(SocketChannel channel, Path path) throws IOException {
        try {
            return channel.connect(UnixDomainSocketAddress.of(path));
        } catch (SocketException e) {
            if (e.getClass() == SocketException.class && Files.isWritable(path)) {
                return false;
            }
            throw e;
        }
    }
}
