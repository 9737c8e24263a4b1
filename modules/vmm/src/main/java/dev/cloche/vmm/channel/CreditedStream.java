package dev.cloche.vmm.channel;

import dev.cloche.vm.VmException;
import dev.cloche.vmm.protocol.Frame;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Objects;

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
    private final StreamState state = new StreamState();
    private int credit;

    /**
     * @param credit what may be sent at first
     * @param onClose says that no more comes, and must not block; not called if the other side has ended or is lost
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
        stream.cut();
        return stream;
    }

    void granted(int bytes) {
        state.lock();
        try {
            credit = Math.min(Frame.MAX_CREDIT, credit + bytes);
            state.changed();
        } finally {
            state.unlock();
        }
    }

    /** The reader has ended. */
    void end() {
        state.end();
    }

    /** Nothing is sent from here on: what another connection's stream goes on with must not be mixed with this one's. */
    void fail(VmException cause) {
        state.fail(cause);
    }

    /** Like {@link #close}, without a word to the other side; nothing is sent from here on. */
    void cut() {
        state.lock();
        try {
            state.cut();
            state.close();
        } finally {
            state.unlock();
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
            sink.sendPatiently(encoder.encode(bytes, at, count), () -> !state.isCut());
            at += count;
        }
    }

    private int reserve(int wanted) throws IOException {
        state.lock();
        try {
            state.awaitWhile(() -> credit == 0 && state.open(), "writing");
            VmException failure = state.failure();
            if (failure != null) {
                throw failure;
            }
            if (!state.open()) {
                throw new IOException(state.ended() ? "the program has ended" : "the program's stdin is closed");
            }
            int count = Math.min(wanted, credit);
            credit -= count;
            return count;
        } finally {
            state.unlock();
        }
    }

    /** Says that no more comes, once; nothing happens if the reader has ended or the connection is lost. */
    @Override
    public void close() {
        state.lock();
        try {
            boolean tell = state.open();
            state.close();
            if (tell) {
                onClose.run();
            }
        } finally {
            state.unlock();
        }
    }
}
