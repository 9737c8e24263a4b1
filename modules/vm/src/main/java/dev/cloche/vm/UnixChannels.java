package dev.cloche.vm;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Connects to Unix sockets. */
final class UnixChannels {
    private UnixChannels() {}

    /** Does not wait for the other side to accept: the kernel queues the connection. */
    static SocketChannel connect(Path path) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(UnixDomainSocketAddress.of(path));
            return channel;
        } catch (Throwable failure) {
            try {
                channel.close();
            } catch (IOException second) {
                failure.addSuppressed(second);
            }
            throw failure;
        }
    }
}
