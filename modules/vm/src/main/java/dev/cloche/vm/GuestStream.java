package dev.cloche.vm;

import dev.cloche.base.Incubating;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;

/**
 * A connection to what listens in a guest, on a TCP port or a Unix socket. One thread may read while another one writes.
 *
 * <p>Reads and writes wait: a read for at least one byte, a write until the guest has room for all. A guest that takes nothing
 * holds up the writer of this stream and no other. They throw an {@link IOException} if the guest has reset the connection, after
 * all that it wrote before was read; if the guest has ended; and, as an {@link java.io.InterruptedIOException}, if their thread
 * is interrupted, which leaves the stream open.
 */
@Incubating
public interface GuestStream extends ByteChannel {
    /**
     * Reads what has come.
     *
     * @return how many bytes, at least 1; -1 when the guest has ended its side
     */
    @Override
    int read(ByteBuffer target) throws IOException;

    /** Writes all that {@code source} has. */
    @Override
    int write(ByteBuffer source) throws IOException;

    /** Says that no more is written; the guest can go on to write. Doing so twice does nothing. */
    void shutdownOutput() throws IOException;

    /**
     * Closes both sides, as {@code close(2)} does with a socket: what was written is given to the guest first, for as long as 10
     * seconds. Does not wait.
     */
    @Override
    void close();

    /** Closes both sides at once: the guest's program sees a reset. */
    void abort();
}
