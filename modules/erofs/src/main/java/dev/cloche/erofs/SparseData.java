package dev.cloche.erofs;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes the data of one sparse file as it arrives. Chunks without data become holes; a chunk with some data is written
 * in full. Made by {@link ErofsWriter#sparse}; no other content may be appended before {@link #finish()}.
 */
public final class SparseData {
    /** With at most so many addresses, the map of a file of any size stays below 256 KiB. */
    private static final int MAX_CHUNKS = 65_536;

    private final ErofsWriter writer;
    private final BlockOutput out;
    private final long size;
    private final int chunkBits;
    private final List<FileData.ChunkRun> runs = new ArrayList<>();
    private long openChunk = -1;
    private long position;

    SparseData(ErofsWriter writer, BlockOutput out, long size) {
        this.writer = writer;
        this.out = out;
        this.size = size;
        int bits = ErofsFormat.BLOCK_BITS;
        while (((size - 1) >>> bits) + 1 > MAX_CHUNKS) {
            bits++;
        }
        if (bits > ErofsFormat.MAX_CHUNK_BITS) {
            throw new ErofsTooLargeException("a sparse file of " + size + " bytes");
        }
        this.chunkBits = bits;
    }

    /**
     * Appends the {@code length} bytes at {@code offset} of the file; offsets must ascend without overlapping.
     *
     * @throws java.io.EOFException if the source ends before
     */
    public void data(long offset, long length, InputStream source) throws IOException {
        if (offset < position || length < 0 || offset > size - length) {
            throw new IllegalArgumentException("data out of order or outside the file");
        }
        long at = offset;
        long left = length;
        while (left > 0) {
            open(at >>> chunkBits);
            out.zeros(at - position);
            long step = Math.min(left, chunkEnd(openChunk) - at);
            out.transfer(source, step);
            at += step;
            left -= step;
            position = at;
        }
    }

    /** Ends the file. */
    public FileData finish() throws IOException {
        close();
        writer.sparseFinished();
        if (runs.isEmpty()) {
            return new FileData.Chunked(size, bitsOfOneChunk(), List.of());
        }
        FileData.ChunkRun first = runs.getFirst();
        FileData.Chunked chunked = new FileData.Chunked(size, chunkBits, runs);
        return first.count() == chunked.chunks() ? new FileData.Contiguous(size, first.block()) : chunked;
    }

    private void open(long chunk) throws IOException {
        if (chunk == openChunk) {
            return;
        }
        close();
        long block = writer.nextBlock(1L << chunkBits);
        FileData.ChunkRun last = runs.isEmpty() ? null : runs.getLast();
        if (last != null && last.chunk() + last.count() == chunk) {
            runs.set(runs.size() - 1, new FileData.ChunkRun(last.chunk(), last.count() + 1, last.block()));
        } else {
            runs.add(new FileData.ChunkRun(chunk, 1, block));
        }
        openChunk = chunk;
        position = chunk << chunkBits;
    }

    private void close() throws IOException {
        if (openChunk >= 0) {
            out.zeros(chunkEnd(openChunk) - position);
            out.alignToBlock();
        }
    }

    private long chunkEnd(long chunk) {
        return Math.min(size, (chunk + 1) << chunkBits);
    }

    private int bitsOfOneChunk() {
        int bits = ErofsFormat.BLOCK_BITS;
        while (bits < ErofsFormat.MAX_CHUNK_BITS && (size - 1) >>> bits > 0) {
            bits++;
        }
        return bits;
    }
}
