package dev.cloche.erofs;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;

/** Sequential output with one large buffer, into which input streams read directly. */
final class BlockOutput {
    private static final int BUFFER = 256 * 1024;

    private final FileChannel channel;
    private final WrittenBytes observer;
    private final byte[] buffer = new byte[BUFFER];
    private int filled;
    private long flushed;

    BlockOutput(FileChannel channel, WrittenBytes observer) {
        this.channel = channel;
        this.observer = observer;
    }

    long position() {
        return flushed + filled;
    }

    void write(byte[] source, int offset, int length) throws IOException {
        int done = 0;
        while (done < length) {
            int step = Math.min(length - done, room());
            System.arraycopy(source, offset + done, buffer, filled, step);
            filled += step;
            done += step;
        }
    }

    void write(Bytes source) throws IOException {
        byte[] content = source.toArray();
        write(content, 0, content.length);
    }

    void u32(int value) throws IOException {
        if (BUFFER - filled < Integer.BYTES) {
            flush();
        }
        LittleEndian.u32(buffer, filled, value);
        filled += Integer.BYTES;
    }

    /**
     * Moves exactly {@code length} bytes from {@code source} to the output.
     *
     * @throws EOFException if the source ends before
     */
    void transfer(InputStream source, long length) throws IOException {
        long left = length;
        while (left > 0) {
            int wanted = (int) Math.min(left, room());
            int read = source.read(buffer, filled, wanted);
            if (read < 0) {
                throw new EOFException(left + " bytes missing");
            }
            filled += read;
            left -= read;
        }
    }

    /** Writes zeros; a long run becomes a hole of the output file, so something must be written after it. */
    void zeros(long length) throws IOException {
        if (length > BUFFER) {
            flush();
            hole(length);
            return;
        }
        long left = length;
        while (left > 0) {
            int step = (int) Math.min(left, room());
            Arrays.fill(buffer, filled, filled + step, (byte) 0);
            filled += step;
            left -= step;
        }
    }

    /** Writes zeros up to {@code position}, which must not be behind. */
    void zerosUntil(long position) throws IOException {
        if (position < position()) {
            throw new IllegalStateException("cannot go back from " + position() + " to " + position);
        }
        zeros(position - position());
    }

    void alignToBlock() throws IOException {
        zerosUntil(ErofsFormat.blocks(position()) * ErofsFormat.BLOCK);
    }

    void flush() throws IOException {
        writeAt(flushed, buffer, filled);
        observe(filled);
        flushed += filled;
        filled = 0;
    }

    /** Completes the file: the first block, whose place holds zeros until now. All else has been flushed. */
    void firstBlock(byte[] block) throws IOException {
        writeAt(0, block, ErofsFormat.BLOCK);
        observer.wrote(block, 0, ErofsFormat.BLOCK);
    }

    private void hole(long length) {
        Arrays.fill(buffer, (byte) 0);
        long left = length;
        while (left > 0) {
            int step = (int) Math.min(left, BUFFER);
            observe(step);
            flushed += step;
            left -= step;
        }
    }

    /** Shows what the buffer holds of the file's next bytes, but nothing of its first block. */
    private void observe(int length) {
        int hidden = Math.clamp(ErofsFormat.BLOCK - flushed, 0, length);
        if (hidden < length) {
            observer.wrote(buffer, hidden, length - hidden);
        }
    }

    private void writeAt(long position, byte[] source, int length) throws IOException {
        ByteBuffer left = ByteBuffer.wrap(source, 0, length);
        while (left.hasRemaining()) {
            channel.write(left, position + left.position());
        }
    }

    private int room() throws IOException {
        if (filled == BUFFER) {
            flush();
        }
        return BUFFER - filled;
    }
}
