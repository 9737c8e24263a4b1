package dev.cloche.vmm.protocol;

import dev.cloche.vm.FileWatch;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/** Writes records, many small ones at once. For one thread at a time. */
public final class FileRecordWriter {
    /** Bytes of file content in one record: whole pages, and with what is around them no more than one frame. */
    public static final int CHUNK = 60 * 1024;

    private static final int DATA_HEADER = FileRecord.HEADER + Long.BYTES;

    private final OutputStream out;
    private final ByteBuffer buffer =
            ByteBuffer.allocate(FileRecord.HEADER + FileRecord.MAX_BODY).order(ByteOrder.LITTLE_ENDIAN);

    public FileRecordWriter(OutputStream out) {
        this.out = out;
    }

    public void entry(FileEntry entry) throws IOException {
        PayloadWriter body = new PayloadWriter();
        entry.writeTo(body);
        put(FileRecord.ENTRY, body.toBytes());
    }

    /** Writes some content. */
    public void data(long offset, byte[] bytes, int from, int length) throws IOException {
        data(offset, ByteBuffer.wrap(bytes, from, length));
    }

    /** Writes all that remains in a buffer. */
    public void data(long offset, ByteBuffer bytes) throws IOException {
        long at = offset;
        while (bytes.hasRemaining()) {
            int count = Math.min(bytes.remaining(), CHUNK);
            room(DATA_HEADER + count);
            buffer.putInt(FileRecord.DATA).putInt(Long.BYTES + count).putLong(at);
            buffer.put(bytes.slice(bytes.position(), count));
            bytes.position(bytes.position() + count);
            at += count;
        }
    }

    public void ready() throws IOException {
        put(FileRecord.READY, new byte[0]);
        flush();
    }

    /** Writes a change, with the entry of the file if there is one. */
    public void event(FileWatch.Change change, String name, Optional<FileEntry> entry) throws IOException {
        PayloadWriter body = new PayloadWriter()
                .u32(FileRecord.CHANGES.indexOf(change) + 1)
                .u32(entry.isPresent() ? 1 : 0)
                .name(name);
        put(FileRecord.EVENT, body.toBytes());
        if (entry.isPresent()) {
            entry(entry.get());
        }
    }

    /** Writes an extended attribute that is to be set. */
    public void attribute(String name, byte[] value) throws IOException {
        put(FileRecord.ATTRIBUTE, new PayloadWriter().name(name).text(value).toBytes());
    }

    /** Writes an extended attribute that is to be taken away. */
    public void noAttribute(String name) throws IOException {
        put(FileRecord.NO_ATTRIBUTE, new PayloadWriter().name(name).toBytes());
    }

    public void done() throws IOException {
        put(FileRecord.DONE, new byte[0]);
        flush();
    }

    public void failed(int errno, String path, String sentence) throws IOException {
        PayloadWriter body = new PayloadWriter().u32(errno).name(path).text(sentence);
        put(FileRecord.FAILED, body.toBytes());
        flush();
    }

    public void flush() throws IOException {
        // A guest that takes everything at once never makes the writer wait, which is where it would notice.
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("interrupted while writing");
        }
        out.write(buffer.array(), 0, buffer.position());
        buffer.clear();
        out.flush();
    }

    private void put(int type, byte[] body) throws IOException {
        room(FileRecord.HEADER + body.length);
        buffer.putInt(type).putInt(body.length).put(body);
    }

    private void room(int needed) throws IOException {
        if (buffer.remaining() < needed) {
            flush();
        }
    }
}
