package dev.cloche.vmm.protocol;

import dev.cloche.vm.GuestException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/** Takes a stream apart into records, within a buffer of fixed size. For one thread at a time. */
public final class FileRecordReader {
    private final InputStream in;
    private final byte[] buffer = new byte[2 * (FileRecord.HEADER + FileRecord.MAX_BODY)];
    private final ByteBuffer view = ByteBuffer.wrap(buffer).order(ByteOrder.LITTLE_ENDIAN);
    private int start;
    private int end;

    public FileRecordReader(InputStream in) {
        this.in = in;
    }

    /**
     * Returns the next record; empty at the end of the stream.
     *
     * @throws GuestException.ProtocolBroken if there is none, or the stream ends inside of one
     */
    public Optional<FileRecord> next() throws IOException {
        if (!fill(FileRecord.HEADER)) {
            if (start == end) {
                return Optional.empty();
            }
            throw cut();
        }
        int type = view.getInt(start);
        int length = view.getInt(start + 4);
        if (length < 0 || length > FileRecord.MAX_BODY) {
            throw new GuestException.ProtocolBroken("a file record is too long: " + Integer.toUnsignedString(length));
        }
        if (!fill(FileRecord.HEADER + length)) {
            throw cut();
        }
        ByteBuffer body = view.slice(start + FileRecord.HEADER, length).order(ByteOrder.LITTLE_ENDIAN);
        start += FileRecord.HEADER + length;
        return Optional.of(FileRecord.parse(type, body));
    }

    private static GuestException.ProtocolBroken cut() {
        return new GuestException.ProtocolBroken("a stream ends inside of a file record");
    }

    /** Returns whether so many bytes are there before the stream ends. */
    private boolean fill(int needed) throws IOException {
        if (start + needed > buffer.length) {
            System.arraycopy(buffer, start, buffer, 0, end - start);
            end -= start;
            start = 0;
        }
        while (end - start < needed) {
            // A guest that sends without end never makes the reader wait, which is where it would notice.
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException("interrupted while reading");
            }
            int count = in.read(buffer, end, buffer.length - end);
            if (count < 0) {
                return false;
            }
            end += count;
        }
        return true;
    }
}
