package dev.cloche.erofs;

/**
 * Says how much of an image {@link ErofsReader} takes into memory before it calls the image corrupt.
 *
 * @param maxEntries directory entries, hard links included
 * @param maxDepth directories below each other
 * @param maxMetadataBytes directories, link targets, extended attributes and chunk addresses together
 */
public record ReadLimits(long maxEntries, int maxDepth, long maxMetadataBytes) {
    /** 4 million entries, 4096 levels, 1 GiB. */
    public static final ReadLimits DEFAULT = new ReadLimits(4_000_000, 4096, 1L << 30);

    public ReadLimits {
        if (maxEntries < 0 || maxDepth < 0 || maxMetadataBytes < 0) {
            throw new IllegalArgumentException("limits cannot be negative");
        }
    }
}
