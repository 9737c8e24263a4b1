package dev.cloche.vm;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A stream of bytes to the other side. Sends no more than that has granted, so a side that does not take its bytes blocks
 * only the writer of this stream.
 */
final class CreditedStream extends OutputStream {
    /** Makes a frame of some bytes. */
    interface Encoder {
        ByteBuffer encode(byte[] bytes, int offset, int length);
    }

    /** Leaves room for an offset in the same frame. */
    private static final int MAX_CHUNK = Frame.MAX_PAYLOAD - Long.BYTES;

    private final FrameSink sink;
    private final Encoder encoder;
    private final Runnable onClose;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private int credit;
    private boolean closed;
    private boolean ended;
    private @Nullable VmException failure;

    /**
     * @param credit what may be sent at first
     * @param onClose says that no more comes; not called if the other side has ended or is lost
     */
    CreditedStream(FrameSink sink, int credit, Encoder encoder, Runnable onClose) {
        this.sink = sink;
        this.credit = credit;
        this.encoder = encoder;
        this.onClose = onClose;
    }

    /** A stream that takes nothing. */
    static CreditedStream closed(FrameSink sink) {
        CreditedStream stream =
                new CreditedStream(sink, 0, (bytes, offset, length) -> ByteBuffer.allocate(0), () -> {});
        stream.closed = true;
        return stream;
    }

    void granted(int bytes) {
        lock.lock();
        try {
            credit = Math.min(Frame.MAX_CREDIT, credit + bytes);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The reader has ended. */
    void end() {
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void fail(VmException cause) {
        lock.lock();
        try {
            failure = cause;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        int at = offset;
        int end = offset + length;
        while (at < end) {
            int count = reserve(Math.min(end - at, MAX_CHUNK));
            sink.sendPatiently(encoder.encode(bytes, at, count));
            at += count;
        }
    }

    private int reserve(int wanted) throws IOException {
        lock.lock();
        try {
            while (credit == 0 && !closed && !ended && failure == null) {
                changed.await();
            }
            if (failure != null) {
                throw failure;
            }
            if (closed || ended) {
                throw new IOException(ended ? "the program has ended" : "the program's stdin is closed");
            }
            int count = Math.min(wanted, credit);
            credit -= count;
            return count;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while writing");
            interrupted.initCause(e);
            throw interrupted;
        } finally {
            lock.unlock();
        }
    }

    /** Says that no more comes, once; nothing happens if the reader has ended or the connection is lost. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            changed.signalAll();
            if (ended || failure != null) {
                return;
            }
        } finally {
            lock.unlock();
        }
        onClose.run();
    }
}
