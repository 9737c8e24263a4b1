package dev.cloche.image.tar;

import dev.cloche.erofs.Bytes;
import dev.cloche.image.ArchiveLimits;
import dev.cloche.image.CorruptArchiveException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads archives in the formats v7, POSIX ustar and pax, GNU and star, from a stream, in bounded memory. The formats are
 * described by POSIX ({@code pax}, "ustar Interchange Format") and by the GNU tar manual.
 *
 * <p>An archive may end without the usual zero blocks, and even without what fills up the last content to a whole block:
 * such layers exist ({@code umoci insert} makes them, Go's reader takes them), and their digest vouches for their length. Every other irregularity is a {@link CorruptArchiveException}. Errors of the source
 * pass through. Not safe for use by several threads.
 */
public final class TarReader {
    /** An entry may follow several extended headers, but not a stream of them. */
    private static final int MAX_HEADERS_IN_A_ROW = 64;

    private final TarInput input;
    private final ArchiveLimits limits;
    private final PaxHeaders pax;
    private final Body body = new Body();
    private int padding;

    public TarReader(InputStream source, ArchiveLimits limits) {
        this.input = new TarInput(source, limits.maxArchiveBytes());
        this.limits = limits;
        this.pax = new PaxHeaders(limits.maxHeaderBytes());
    }

    /** Returns the next entry, or {@code null} at the end of the archive. What was not read of the last entry is skipped. */
    @Nullable
    public TarEntry next() throws IOException {
        pax.clearLocal();
        Bytes longPath = null;
        Bytes longTarget = null;
        boolean extended = false;
        for (int headers = 0; headers < MAX_HEADERS_IN_A_ROW; headers++) {
            TarHeader header = nextHeader();
            if (header == null) {
                if (extended) {
                    throw TarInput.truncated();
                }
                return null;
            }
            switch (header.type()) {
                case 'x', 'X' -> pax.replaceLocal(content(header));
                case 'g' -> pax.addGlobal(content(header));
                case 'L' -> longPath = untilNul(content(header));
                case 'K' -> longTarget = untilNul(content(header));
                case 'V' -> openBody(header.size());
                default -> {
                    return new TarEntryReader(header, pax, input, limits).read(longPath, longTarget, this);
                }
            }
            extended |= header.type() != 'g' && header.type() != 'V';
        }
        throw new CorruptArchiveException("it has more than " + MAX_HEADERS_IN_A_ROW + " extended headers in a row");
    }

    /** Returns the stored data of the last entry: that of its segments, one after the other. */
    public InputStream data() {
        return body;
    }

    /** Reads the source to its end, which may be behind the end of the archive. */
    public void drain() throws IOException {
        input.drain();
    }

    /** Returns the bytes that were taken from the source. */
    public long taken() {
        return input.taken();
    }

    /** Returns where in the archive the unread content of the last entry stands. */
    public long position() {
        return input.position();
    }

    /** Declares that {@code size} bytes of content follow here. */
    void openBody(long size) {
        if (size < 0 || size > limits.maxArchiveBytes()) {
            throw new CorruptArchiveException("an entry claims " + size + " bytes");
        }
        body.left = size;
        padding = (int) (-size & (TarInput.BLOCK - 1));
    }

    /** Returns the next block of the content, which must have one; for maps that stand before the data. */
    byte[] takeBlock() throws IOException {
        byte[] block = new byte[TarInput.BLOCK];
        if (body.left < TarInput.BLOCK || !input.readBlock(block)) {
            throw TarInput.truncated();
        }
        body.left -= TarInput.BLOCK;
        return block;
    }

    long bodyLeft() {
        return body.left;
    }

    private @Nullable TarHeader nextHeader() throws IOException {
        input.skip(body.left);
        boolean padded = input.skipPadding(padding);
        body.left = 0;
        padding = 0;
        byte[] block = new byte[TarInput.BLOCK];
        if (!padded || !input.readBlock(block)) {
            return null;
        }
        if (!zero(block)) {
            return new TarHeader(block);
        }
        if (input.readBlock(block) && !zero(block)) {
            throw new CorruptArchiveException("an entry follows a zero block");
        }
        return null;
    }

    private byte[] content(TarHeader header) throws IOException {
        if (header.size() < 0 || header.size() > limits.maxHeaderBytes()) {
            throw new CorruptArchiveException("an extended header claims " + header.size() + " bytes");
        }
        openBody(header.size());
        return body.readNBytes((int) header.size());
    }

    private static Bytes untilNul(byte[] content) {
        Bytes all = Bytes.of(content);
        int end = all.indexOf('\0', 0);
        return end < 0 ? all : all.slice(0, end);
    }

    private static boolean zero(byte[] block) {
        return Arrays.equals(block, new byte[TarInput.BLOCK]);
    }

    /** Returns the segments of a dense file. */
    static List<DataSegment> dense(long size) {
        return size == 0 ? List.of() : List.of(new DataSegment(0, size));
    }

    private final class Body extends InputStream {
        private long left;

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            if (left == 0) {
                return -1;
            }
            int read = input.read(target, offset, (int) Math.min(length, left));
            if (read < 0) {
                throw TarInput.truncated();
            }
            left -= read;
            return read;
        }
    }
}
