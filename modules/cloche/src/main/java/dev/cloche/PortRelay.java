package dev.cloche;

import dev.cloche.base.ClocheException;
import dev.cloche.vm.GuestStream;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;

/** Passes bytes between a client of this host and a port of a guest, in both directions, with their ends and resets. */
final class PortRelay {
    private static final int PIECE = 16 * 1024;

    private final SocketChannel client;
    private final GuestStream guest;

    PortRelay(SocketChannel client, GuestStream guest) {
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
            System.getLogger(PortRelay.class.getName()).log(System.Logger.Level.DEBUG, "closing a connection", e);
        }
    }
}
