package dev.cloche.vmm.channel;

import dev.cloche.vm.GuestFileOutput;
import dev.cloche.vmm.protocol.FileRecordWriter;
import java.io.IOException;
import java.util.Objects;

/** Writes a file of a guest as the records of one call. Small writes are collected. */
final class ChannelFileOutput extends GuestFileOutput {
    private final FileCall call;
    private long offset;
    private boolean closed;

    ChannelFileOutput(FileCall call, long offset) {
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

    @Override
    public void abort() {
        closed = true;
        call.close();
    }

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
