package dev.cloche.erofs;

import java.util.List;

/** Says where the content of a regular file is: blocks of 4 KiB, counted from the beginning of the image. */
public sealed interface FileData {
    /** Returns the length of the file in bytes. */
    long size();

    /** Returns the same content at addresses {@code blocks} higher. */
    FileData shiftedBy(long blocks);

    /** Returns an empty file. */
    static FileData empty() {
        return new Contiguous(0, 0);
    }

    /**
     * Describes one run of blocks; the last one is filled up with zeros.
     *
     * @param block address of the first block; 0 for an empty file
     */
    record Contiguous(long size, long block) implements FileData {
        public Contiguous {
            if (size < 0 || block < 0 || block > ErofsFormat.MAX_BLOCKS) {
                throw new IllegalArgumentException("no place for a file: " + size + " bytes at block " + block);
            }
        }

        @Override
        public Contiguous shiftedBy(long blocks) {
            return size == 0 ? this : new Contiguous(size, block + blocks);
        }
    }

    /**
     * Chunks of one length, of which some are holes.
     *
     * @param chunkBits binary logarithm of the length of a chunk in bytes, 12 to 43
     * @param runs the chunks that are no holes, ascending
     */
    record Chunked(long size, int chunkBits, List<ChunkRun> runs) implements FileData {
        public Chunked {
            runs = List.copyOf(runs);
            if (size <= 0 || chunkBits < ErofsFormat.BLOCK_BITS || chunkBits > ErofsFormat.MAX_CHUNK_BITS) {
                throw new IllegalArgumentException("no chunked file: " + size + " bytes, 2^" + chunkBits);
            }
            long next = 0;
            for (ChunkRun run : runs) {
                if (run.chunk() < next || run.chunk() + run.count() > chunkCount(size, chunkBits)) {
                    throw new IllegalArgumentException("chunks out of order or outside the file: " + run);
                }
                next = run.chunk() + run.count();
            }
        }

        /** Returns how many chunks the file has, holes included. */
        public long chunks() {
            return chunkCount(size, chunkBits);
        }

        @Override
        public Chunked shiftedBy(long blocks) {
            return new Chunked(
                    size,
                    chunkBits,
                    runs.stream()
                            .map(run -> new ChunkRun(run.chunk(), run.count(), run.block() + blocks))
                            .toList());
        }

        private static long chunkCount(long size, int chunkBits) {
            return ((size - 1) >>> chunkBits) + 1;
        }
    }

    /**
     * Neighbouring chunks whose blocks are neighbours too.
     *
     * @param chunk number of the first chunk in the file
     * @param count how many chunks, at least 1
     * @param block address of the first block of the first chunk
     */
    record ChunkRun(long chunk, long count, long block) {
        public ChunkRun {
            if (chunk < 0 || count < 1 || block < 0 || block > ErofsFormat.MAX_BLOCKS) {
                throw new IllegalArgumentException("no run of chunks: " + chunk + "+" + count + " at " + block);
            }
        }
    }
}
