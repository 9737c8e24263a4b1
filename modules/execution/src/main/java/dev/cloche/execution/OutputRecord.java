package dev.cloche.execution;

import dev.cloche.vm.Output;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * Describes one piece of output in a journal: u32 CRC-32C of the rest, u8 output (1 or 2), u64 offset, u64 milliseconds
 * since 1970, u32 length (at most 1 MiB), the bytes. All numbers are big-endian.
 *
 * @param bytes for its reader alone
 */
record OutputRecord(Output output, long offset, Instant at, ByteBuffer bytes) {
    static final int MOST_BYTES = 1 << 20;
    private static final int HEAD = 1 + 8 + 8 + 4;

    /** Is told of each sound record, in order. */
    @FunctionalInterface
    interface Visitor {
        void visit(OutputRecord record) throws IOException;
    }

    static Path newest(Path directory) {
        return directory.resolve("output");
    }

    static Path older(Path directory) {
        return directory.resolve("output.1");
    }

    /** Returns the offset behind it. */
    long end() {
        return offset + bytes.remaining();
    }

    /** Returns the length of all of it in the file. */
    long length() {
        return 4L + HEAD + bytes.remaining();
    }

    static void write(FileChannel file, Output output, long offset, long millis, ByteBuffer bytes) throws IOException {
        ByteBuffer record = ByteBuffer.allocate(4 + HEAD + bytes.remaining()).position(4);
        record.put((byte) (output == Output.STDOUT ? 1 : 2))
                .putLong(offset)
                .putLong(millis)
                .putInt(bytes.remaining())
                .put(bytes.duplicate());
        record.putInt(0, sum(record.array(), 4, record.position() - 4)).flip();
        while (record.hasRemaining()) {
            file.write(record);
        }
    }

    /** Reads up to the end, or to where a writer died. A file that is not there has nothing. */
    static void read(Path file, Visitor visitor) throws IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
            for (Optional<OutputRecord> record = next(in); record.isPresent(); record = next(in)) {
                visitor.visit(record.get());
            }
        } catch (NoSuchFileException nothingYet) {
            // As good as empty.
        }
    }

    /** Returns the next whole record; empty where there is none. */
    static Optional<OutputRecord> next(InputStream in) throws IOException {
        byte[] start = in.readNBytes(4 + HEAD);
        if (start.length < 4 + HEAD) {
            return Optional.empty();
        }
        ByteBuffer fields = ByteBuffer.wrap(start);
        int sum = fields.getInt();
        byte channel = fields.get();
        long offset = fields.getLong();
        Instant at = Instant.ofEpochMilli(fields.getLong());
        int length = fields.getInt();
        if (length < 0 || length > MOST_BYTES) {
            return Optional.empty();
        }
        byte[] bytes = in.readNBytes(length);
        CRC32C found = new CRC32C();
        found.update(start, 4, HEAD);
        found.update(bytes);
        if (bytes.length < length || (int) found.getValue() != sum) {
            return Optional.empty();
        }
        Output output = channel == 1 ? Output.STDOUT : Output.STDERR;
        return Optional.of(
                new OutputRecord(output, offset, at, ByteBuffer.wrap(bytes).asReadOnlyBuffer()));
    }

    private static int sum(byte[] bytes, int offset, int length) {
        CRC32C sum = new CRC32C();
        sum.update(bytes, offset, length);
        return (int) sum.getValue();
    }
}
