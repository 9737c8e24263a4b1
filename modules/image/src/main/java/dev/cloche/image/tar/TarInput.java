package dev.cloche.image.tar;

import dev.cloche.image.CorruptArchiveException;
import java.io.IOException;
import java.io.InputStream;

/** The archive's bytes: counted, limited, and buffered for small reads only, so that content is not copied twice. */
public final class TarInput {
    static final int BLOCK = 512;
    private static final int BUFFER = 64 * 1024;

    private final InputStream source;
    private final long maxBytes;
    private final byte[] buffer = new byte[BUFFER];
    private int next;
    private int end;
    private long taken;

    TarInput(InputStream source, long maxBytes) {
        this.source = source;
        this.maxBytes = maxBytes;
    }

    /** Bytes taken from the source. */
    long taken() {
        return taken;
    }

    /** Returns where in the archive the next byte stands that {@link #read} gives. */
    long position() {
        return taken - (end - next);
    }

    /** As {@link InputStream#read(byte[], int, int)}. */
    int read(byte[] target, int offset, int length) throws IOException {
        if (next == end) {
            if (length >= BUFFER) {
                return count(source.read(target, offset, length));
            }
            next = 0;
            end = Math.max(0, count(source.read(buffer, 0, BUFFER)));
            if (end == 0) {
                return -1;
            }
        }
        int step = Math.min(length, end - next);
        System.arraycopy(buffer, next, target, offset, step);
        next += step;
        return step;
    }

    /** Fills {@code block}; false if the archive ended before its first byte. */
    boolean readBlock(byte[] block) throws IOException {
        int done = 0;
        while (done < block.length) {
            int read = read(block, done, block.length - done);
            if (read < 0) {
                if (done == 0) {
                    return false;
                }
                throw truncated();
            }
            done += read;
        }
        return true;
    }

    void skip(long length) throws IOException {
        long left = length;
        while (left > 0) {
            if (next == end) {
                next = 0;
                end = Math.max(0, count(source.read(buffer, 0, BUFFER)));
                if (end == 0) {
                    throw truncated();
                }
            }
            int step = (int) Math.min(left, end - next);
            next += step;
            left -= step;
        }
    }

    /** Skips what fills up the last block of a content; false if the archive ended before its end. */
    boolean skipPadding(int length) throws IOException {
        int left = length;
        while (left > 0) {
            int read = read(new byte[left], 0, left);
            if (read < 0) {
                return false;
            }
            left -= read;
        }
        return true;
    }

    /** Reads and forgets all that is left. */
    void drain() throws IOException {
        next = 0;
        end = 0;
        while (count(source.read(buffer, 0, BUFFER)) >= 0) {
            // Only counted.
        }
    }

    public static CorruptArchiveException truncated() {
        return new CorruptArchiveException("it ends in the middle of an entry");
    }

    private int count(int read) {
        if (read > 0) {
            taken += read;
            if (taken > maxBytes) {
                throw new CorruptArchiveException("it has more than " + maxBytes + " bytes");
            }
        }
        return read;
    }
}
