package dev.cloche.vmm.channel;

import dev.cloche.vm.GuestException;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.IntConsumer;

/**
 * One output stream of an execution: holds what has arrived and was not read yet, never more than the window that the
 * guest was granted, and grants more as it is read. What arrives after {@link #close} is dropped, and granted again, so
 * that the program goes on.
 */
public final class OutputWindow extends InputStream {
    private static final int FIRST_SIZE = 4096;

    private final String name;
    private final int window;
    private final IntConsumer grant;
    private final StreamState state = new StreamState();

    /** A ring that grows up to the window: most executions write little. */
    private byte[] ring = new byte[0];

    private int head;
    private int size;
    /** Offset of the next byte that is read. */
    private long position;
    /** Offset of the next byte that arrives. What is neither in between nor in the ring is a gap. */
    private long expected;
    /** How many bytes the guest may still send. */
    private int outstanding;
    /** How many bytes were taken and are not granted again yet. */
    private int taken;

    /**
     * Opens a window on the whole of a stream.
     *
     * @param name for messages
     * @param window in bytes; what the guest was granted at the start
     * @param grant sends a credit; must not block
     */
    public OutputWindow(String name, int window, IntConsumer grant) {
        this(name, window, 0, 0, grant);
    }

    /**
     * Opens a window on the rest of a stream.
     *
     * @param wanted offset of the first byte that was asked for
     * @param first offset of the first byte that the guest sends, not below
     */
    public OutputWindow(String name, int window, long wanted, long first, IntConsumer grant) {
        this.name = name;
        this.window = window;
        this.grant = grant;
        position = wanted;
        expected = first;
        outstanding = window;
    }

    /**
     * Takes over what the guest sent.
     *
     * @throws GuestException.ProtocolBroken if it sends more than it may, or anything but the next byte
     */
    public void arrived(long offset, ByteBuffer bytes) {
        state.lock();
        try {
            int count = bytes.remaining();
            if (count > outstanding) {
                throw new GuestException.ProtocolBroken(name + " is sent beyond its credit");
            }
            if (offset != expected || offset > Long.MAX_VALUE - count) {
                throw new GuestException.ProtocolBroken(name + " has a wrong offset " + offset);
            }
            outstanding -= count;
            expected = offset + count;
            if (state.closed()) {
                took(count);
            } else {
                append(bytes);
                state.changed();
            }
        } finally {
            state.unlock();
        }
    }

    /** Notes that no more comes. */
    public void end() {
        state.end();
    }

    /** No more comes, and that is an error, unless the end has been seen. */
    void fail(VmException cause) {
        state.fail(cause);
    }

    /** Like {@link #close}, and the guest is granted nothing more from here on. */
    void cut() {
        state.lock();
        try {
            state.cut();
            close();
        } finally {
            state.unlock();
        }
    }

    /** Offset of the next byte that a read returns. */
    long offset() {
        state.lock();
        try {
            return position;
        } finally {
            state.unlock();
        }
    }

    /**
     * Grants the other side anew all that has room here, as to a sender that knows of no earlier grant.
     *
     * @param grants told how much that is, before any later grant
     */
    public void restart(IntConsumer grants) {
        state.lock();
        try {
            taken = 0;
            outstanding = window - size;
            grants.accept(outstanding);
        } finally {
            state.unlock();
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.length);
        if (length == 0) {
            return 0;
        }
        state.lock();
        try {
            passGap();
            state.awaitWhile(() -> size == 0 && state.open(), "reading " + name);
            if (state.closed()) {
                throw new IOException(name + " is closed");
            }
            if (size > 0) {
                return take(target, offset, length);
            }
            VmException failure = state.failure();
            if (failure != null) {
                throw failure;
            }
            return -1;
        } finally {
            state.unlock();
        }
    }

    private void passGap() {
        long missing = expected - size - position;
        if (missing > 0 && !state.closed()) {
            GuestException.OutputGap gap = new GuestException.OutputGap(name, position, missing);
            position += missing;
            throw gap;
        }
    }

    @Override
    public int available() {
        state.lock();
        try {
            return size;
        } finally {
            state.unlock();
        }
    }

    @Override
    public void close() {
        state.lock();
        try {
            if (!state.closed()) {
                state.close();
                int dropped = size;
                size = 0;
                ring = new byte[0];
                took(dropped);
            }
        } finally {
            state.unlock();
        }
    }

    private void append(ByteBuffer bytes) {
        int count = bytes.remaining();
        if (size + count > ring.length) {
            grow(size + count);
        }
        int tail = (head + size) % ring.length;
        int first = Math.min(count, ring.length - tail);
        bytes.get(ring, tail, first);
        bytes.get(ring, 0, count - first);
        size += count;
    }

    private void grow(int needed) {
        byte[] larger = new byte[Math.min(window, Math.max(Math.max(FIRST_SIZE, needed), 2 * ring.length))];
        int first = Math.min(size, ring.length - head);
        System.arraycopy(ring, head, larger, 0, first);
        System.arraycopy(ring, 0, larger, first, size - first);
        ring = larger;
        head = 0;
    }

    private int take(byte[] target, int offset, int length) {
        int count = Math.min(length, size);
        int first = Math.min(count, ring.length - head);
        System.arraycopy(ring, head, target, offset, first);
        System.arraycopy(ring, 0, target, offset + first, count - first);
        head = (head + count) % ring.length;
        size -= count;
        position += count;
        took(count);
        return count;
    }

    /** Grants in steps of a quarter of the window: rarely enough to be cheap, early enough that the guest never waits. */
    private void took(int count) {
        taken += count;
        if (taken >= window / 4 && !state.ended() && !state.isCut()) {
            outstanding += taken;
            int credit = taken;
            taken = 0;
            grant.accept(credit);
        }
    }
}
