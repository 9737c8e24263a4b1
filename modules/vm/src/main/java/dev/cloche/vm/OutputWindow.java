package dev.cloche.vm;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One output stream of an execution: holds what has arrived and was not read yet, never more than the window that the
 * guest was granted, and grants more as it is read. What arrives after {@link #close} is dropped, and granted again, so
 * that the program goes on.
 */
final class OutputWindow extends InputStream {
    private static final int FIRST_SIZE = 4096;

    private final String name;
    private final int window;
    private final IntConsumer grant;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** A ring that grows up to the window: most executions write little. */
    private byte[] ring = new byte[0];

    private int head;
    private int size;
    private long expected;
    /** How many bytes the guest may still send. */
    private int outstanding;
    /** How many bytes were taken and are not granted again yet. */
    private int taken;

    private boolean ended;
    private boolean closed;
    private @Nullable VmException failure;

    /**
     * @param name for messages
     * @param window in bytes; what the guest was granted at the start
     * @param grant sends a credit; must not block
     */
    OutputWindow(String name, int window, IntConsumer grant) {
        this.name = name;
        this.window = window;
        this.grant = grant;
        outstanding = window;
    }

    /**
     * Takes over what the guest sent.
     *
     * @throws GuestProtocolException if it sends more than it may, or again what it has sent already
     */
    void arrived(long offset, ByteBuffer bytes) {
        lock.lock();
        try {
            int count = bytes.remaining();
            if (count > outstanding) {
                throw new GuestProtocolException(name + " is sent beyond its credit");
            }
            if (offset < expected || offset > Long.MAX_VALUE - count) {
                throw new GuestProtocolException(name + " has a wrong offset " + offset);
            }
            outstanding -= count;
            if (offset != expected && failure == null) {
                failure = new OutputGapException(name, expected, offset - expected);
                changed.signalAll();
            }
            expected = offset + count;
            if (closed || failure != null) {
                took(count);
            } else {
                append(bytes);
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** No more comes. */
    void end() {
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** No more comes, and that is an error, unless the end has been seen. */
    void fail(VmException cause) {
        lock.lock();
        try {
            if (!ended && failure == null) {
                failure = cause;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
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
        lock.lock();
        try {
            while (size == 0 && !closed && !ended && failure == null) {
                changed.await();
            }
            if (closed) {
                throw new IOException(name + " is closed");
            }
            if (size > 0) {
                return take(target, offset, length);
            }
            if (failure != null) {
                throw failure;
            }
            return -1;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while reading " + name);
            interrupted.initCause(e);
            throw interrupted;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int available() {
        lock.lock();
        try {
            return closed ? 0 : size;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (!closed) {
                closed = true;
                int dropped = size;
                size = 0;
                ring = new byte[0];
                took(dropped);
                changed.signalAll();
            }
        } finally {
            lock.unlock();
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
        took(count);
        return count;
    }

    /** Grants in steps of a quarter of the window: rarely enough to be cheap, early enough that the guest never waits. */
    private void took(int count) {
        taken += count;
        if (taken >= window / 4 && !ended) {
            outstanding += taken;
            int credit = taken;
            taken = 0;
            grant.accept(credit);
        }
    }
}
