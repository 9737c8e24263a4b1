package dev.cloche.image.tar;

import dev.cloche.erofs.Bytes;
import dev.cloche.image.CorruptArchiveException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the maps of sparse files in the four formats of GNU tar (its manual, "Storing Sparse Files"). In the result,
 * segments ascend, do not overlap, are not empty, lie in the file, and have together exactly the stored data.
 */
final class SparseMap {
    private static final int OLD_IN_HEADER = 4;
    private static final int OLD_IN_EXTENSION = 21;
    private static final int OLD_ENTRY = 24;

    private final int maxSegments;
    private final List<DataSegment> segments = new ArrayList<>();
    private long end;
    private long dataBytes;

    SparseMap(int maxSegments) {
        this.maxSegments = maxSegments;
    }

    private void add(long offset, long length) {
        if (offset < end || length < 0 || length > Long.MAX_VALUE - offset) {
            throw malformed();
        }
        end = offset + length;
        dataBytes += length;
        if (length == 0) {
            return;
        }
        if (segments.size() == maxSegments) {
            throw new CorruptArchiveException("a sparse file has more than " + maxSegments + " pieces");
        }
        segments.add(new DataSegment(offset, length));
    }

    /** Returns the segments, once all is known. */
    List<DataSegment> check(long realSize, long storedBytes) {
        if (realSize < 0 || end > realSize || dataBytes != storedBytes) {
            throw malformed();
        }
        return segments;
    }

    /** Type {@code S}: four entries in the header, more in blocks behind it. */
    static SparseMap old(TarHeader header, TarInput input, int maxSegments) throws IOException {
        SparseMap map = new SparseMap(maxSegments);
        map.addOld(header.block(), 386, OLD_IN_HEADER);
        byte[] block = new byte[TarInput.BLOCK];
        boolean more = header.block()[482] != 0;
        // Empty entries are not counted as segments, so blocks are.
        for (int blocks = 0; more; blocks++) {
            if (blocks > maxSegments || !input.readBlock(block)) {
                throw malformed();
            }
            map.addOld(block, 0, OLD_IN_EXTENSION);
            more = block[504] != 0;
        }
        return map;
    }

    static long oldRealSize(TarHeader header) {
        return TarNumbers.field(header.block(), 483, 12);
    }

    private void addOld(byte[] block, int offset, int count) {
        for (int i = 0; i < count; i++) {
            int at = offset + i * OLD_ENTRY;
            if (block[at] == 0) {
                return;
            }
            add(TarNumbers.field(block, at, 12), TarNumbers.field(block, at + 12, 12));
        }
    }

    /** Format 0.0: repeated records of offset and length. */
    static SparseMap pairs(List<Bytes> pairs, int maxSegments) {
        SparseMap map = new SparseMap(maxSegments);
        if (pairs.size() % 2 != 0) {
            throw malformed();
        }
        for (int i = 0; i < pairs.size(); i += 2) {
            map.add(TarNumbers.decimal(pairs.get(i)), TarNumbers.decimal(pairs.get(i + 1)));
        }
        return map;
    }

    /** Format 0.1: one record with numbers between commas. */
    static SparseMap commas(Bytes list, int maxSegments) {
        List<Bytes> numbers = new ArrayList<>();
        int at = 0;
        for (int comma = list.indexOf(',', 0); comma >= 0; comma = list.indexOf(',', at)) {
            numbers.add(list.slice(at, comma));
            at = comma + 1;
        }
        numbers.add(list.slice(at, list.length()));
        return pairs(numbers, maxSegments);
    }

    /** Format 1.0: lines with numbers before the data, filled up to a block; {@code lines} gives these blocks. */
    static SparseMap lines(Blocks lines, int maxSegments) throws IOException {
        SparseMap map = new SparseMap(maxSegments);
        LineReader reader = new LineReader(lines);
        long count = reader.number();
        if (count > maxSegments) {
            throw new CorruptArchiveException("a sparse file has more than " + maxSegments + " pieces");
        }
        for (long i = 0; i < count; i++) {
            map.add(reader.number(), reader.number());
        }
        return map;
    }

    /** Gives the next block of an entry's content. */
    interface Blocks {
        byte[] next() throws IOException;
    }

    private static final class LineReader {
        private final Blocks blocks;
        private byte[] block = new byte[0];
        private int at;

        private LineReader(Blocks blocks) {
            this.blocks = blocks;
        }

        private long number() throws IOException {
            byte[] digits = new byte[19];
            for (int length = 0; length < digits.length; length++) {
                if (at == block.length) {
                    block = blocks.next();
                    at = 0;
                }
                byte next = block[at++];
                if (next == '\n') {
                    return TarNumbers.decimal(Bytes.of(digits, 0, length));
                }
                digits[length] = next;
            }
            throw malformed();
        }
    }

    private static CorruptArchiveException malformed() {
        return new CorruptArchiveException("a sparse file's map is malformed");
    }
}
