package dev.cloche;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.base.Incubating;
import dev.cloche.base.Uninterrupted;
import dev.cloche.vm.DialRequest;
import dev.cloche.vm.GuestStream;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A port of this host that leads into a guest as long as this is open, made by {@link Sandbox#forward}. What connects to it is
 * connected as {@link Sandbox#dial(int)} does, so the guest needs no network; where nothing listens in the guest, it sees a reset.
 *
 * <pre>{@code
 * try (PortForward web = sandbox.forward(8000)) {
 *     client.send(HttpRequest.newBuilder(web.port().uri("http")).build(), BodyHandlers.ofString());
 * }
 * }</pre>
 *
 * <p>It ends with this process. One address takes as many connections as a guest has, 256.
 */
@Incubating
public final class PortForward implements AutoCloseable {
    private static final int BACKLOG = 256;
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);
    private static final long PAUSE_NANOS = 100_000_000;

    private final GuestOwner owner;
    private final ServerSocketChannel server;
    private final PublishedPort port;
    private final Set<Relay> relays = ConcurrentHashMap.newKeySet();
    private final Thread acceptor = Thread.ofVirtual().name("cloche-forward").unstarted(this::acceptAll);

    private PortForward(GuestOwner owner, ServerSocketChannel server, PublishedPort port) {
        this.owner = owner;
        this.server = server;
        this.port = port;
    }

    static PortForward open(GuestOwner owner, PublishedPort wanted) {
        if (wanted.protocol() != PublishedPort.Protocol.TCP) {
            throw new VmException.Invalid(
                    "A port is forwarded for TCP only.", "Publish a port of UDP when the sandbox is started.");
        }
        InetSocketAddress address =
                new InetSocketAddress(InetAddress.ofLiteral(wanted.hostAddress()), wanted.hostPort());
        ServerSocketChannel server = null;
        try {
            server = ServerSocketChannel.open();
            server.bind(address, BACKLOG);
            PublishedPort bound = wanted.withHostPort(server.socket().getLocalPort());
            PortForward forward = new PortForward(owner, server, bound);
            forward.acceptor.start();
            return forward;
        } catch (IOException taken) {
            closeQuietly(server);
            throw new VmException.PortUnavailable(wanted, taken);
        }
    }

    /** Returns where it listens and leads, with the port of the host that it has got. */
    public PublishedPort port() {
        return port;
    }

    private void acceptAll() {
        while (server.isOpen()) {
            try {
                SocketChannel client = server.accept();
                Thread.ofVirtual().name("cloche-forward-connection").start(() -> serve(client));
            } catch (ClosedChannelException closed) {
                return;
            } catch (IOException tooManyFiles) {
                // Nothing tells when there is one again; connections wait meanwhile.
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private void serve(SocketChannel client) {
        try {
            client.setOption(StandardSocketOptions.TCP_NODELAY, true);
            GuestStream guest = owner.dial(DialRequest.port(port.guestPort()), Deadline.after(ANSWER_LIMIT));
            Relay relay = new Relay(client, guest);
            relays.add(relay);
            if (!server.isOpen()) {
                relay.reset();
            }
            relay.run();
            relays.remove(relay);
        } catch (IOException | ClocheException refused) {
            System.getLogger(PortForward.class.getName())
                    .log(System.Logger.Level.DEBUG, "a connection to port " + port.guestPort(), refused);
            Relay.reset(client);
        }
    }

    /** Stops listening, and resets the connections that are open. Closing twice does nothing. */
    @Override
    public void close() {
        closeQuietly(server);
        LockSupport.unpark(acceptor);
        relays.forEach(Relay::reset);
        // Only then has the kernel closed the listener.
        Uninterrupted.run(this::awaitAcceptor);
    }

    private void awaitAcceptor() {
        try {
            acceptor.join();
        } catch (InterruptedException never) {
            throw new IllegalStateException(never);
        }
    }

    private static void closeQuietly(@Nullable ServerSocketChannel server) {
        try (server) {
            // It listens no more.
        } catch (IOException e) {
            System.getLogger(PortForward.class.getName()).log(System.Logger.Level.DEBUG, "closing a listener", e);
        }
    }

    /** Passes bytes between a client of this host and a port of a guest, in both directions, with their ends and resets. */
    private static final class Relay {
        private static final int PIECE = 16 * 1024;

        private final SocketChannel client;
        private final GuestStream guest;

        Relay(SocketChannel client, GuestStream guest) {
            this.client = client;
            this.guest = guest;
        }

        /** Says to one side that the other one has ended. */
        private interface End {
            void say() throws IOException;
        }

        /** Returns when both directions have ended, or one is broken. */
        void run() {
            Thread there = Thread.ofVirtual().start(() -> pass(client, guest, guest::shutdownOutput));
            pass(guest, client, client::shutdownOutput);
            try {
                there.join();
            } catch (InterruptedException e) {
                reset();
                return;
            }
            guest.close();
            close(client);
        }

        private void pass(ReadableByteChannel from, WritableByteChannel to, End end) {
            ByteBuffer bytes = ByteBuffer.allocate(PIECE);
            try {
                while (from.read(bytes) >= 0) {
                    bytes.flip();
                    while (bytes.hasRemaining()) {
                        to.write(bytes);
                    }
                    bytes.clear();
                }
                end.say();
            } catch (IOException | ClocheException broken) {
                reset();
            }
        }

        /** Breaks off: both sides see a reset. */
        void reset() {
            guest.abort();
            reset(client);
        }

        /** Closes a client's socket so that the client sees a reset. */
        static void reset(SocketChannel client) {
            try {
                client.setOption(StandardSocketOptions.SO_LINGER, 0);
            } catch (IOException closedAlready) {
                return;
            }
            close(client);
        }

        private static void close(SocketChannel client) {
            try {
                client.close();
            } catch (IOException e) {
                System.getLogger(PortForward.class.getName()).log(System.Logger.Level.DEBUG, "closing a connection", e);
            }
        }
    }
}
