package dev.cloche.vm;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Objects;

/**
 * A file of a guest that is being written. For one thread at a time.
 *
 * <p>{@link #close} returns when all is in the guest, or throws what {@link GuestFiles} says; {@link #abort} gives it up,
 * as does a failed write. The only {@link IOException} is that of a stream that is closed. Small writes are collected.
 */
public final class GuestFileOutput extends OutputStream {
    private final FileCall call;
    private long offset;
    private boolean closed;

    GuestFileOutput(FileCall call, long offset) {
        this.call = call;
        this.offset = offset;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        Objects.checkFromIndexSize(from, length, bytes.length);
        if (closed) {
            throw new IOException("the file is closed");
        }
        long at = offset;
        send(records -> records.data(at, bytes, from, length));
        offset += length;
    }

    /** Sends what was collected. */
    @Override
    public void flush() throws IOException {
        if (!closed) {
            send(FileRecordWriter::flush);
        }
    }

    private void send(FileCall.Writing writing) {
        boolean sent = false;
        try {
            call.write(writing);
            sent = true;
        } finally {
            if (!sent) {
                abort();
            }
        }
    }

    /** Gives the file up: what was written so far is not kept where the guest can help it. Closing is no error then. */
    public void abort() {
        closed = true;
        call.close();
    }

    /** Completes the file, once. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        try (call) {
            call.write(FileRecordWriter::done);
            call.done();
        }
    }
}
