package dev.cloche.image;

/**
 * Says how large a layer's archive may be before it is refused. What is held in memory is bounded by {@code maxEntries} and
 * {@code maxMetadataBytes}: about 250 bytes an entry with its name.
 *
 * @param maxEntries files, directories and links in a layer, with the directories that the archive only implies
 * @param maxDepth components of a path
 * @param maxPathBytes length of a path or link target
 * @param maxFileBytes length of one file, holes included
 * @param maxArchiveBytes length of the uncompressed archive
 * @param maxImageBytes content of the image made from it, with what sparse files are filled up with
 * @param maxHeaderBytes length of one extended header
 * @param maxSparseSegments pieces of one sparse file
 * @param maxMetadataBytes names, link targets, extended attributes and sparse maps of the whole layer
 */
public record ArchiveLimits(
        long maxEntries,
        int maxDepth,
        int maxPathBytes,
        long maxFileBytes,
        long maxArchiveBytes,
        long maxImageBytes,
        int maxHeaderBytes,
        int maxSparseSegments,
        long maxMetadataBytes) {
    /** Half a million entries, which a heap of 128 MiB holds; paths as Linux allows them; 1 TiB. */
    public static final ArchiveLimits DEFAULT =
            new ArchiveLimits(500_000, 512, 4096, 1L << 40, 1L << 40, 1L << 40, 1 << 20, 500_000, 64L << 20);

    public ArchiveLimits {
        if (maxEntries < 1
                || maxDepth < 1
                || maxPathBytes < 1
                || maxFileBytes < 0
                || maxArchiveBytes < 0
                || maxImageBytes < 0
                || maxHeaderBytes < 0
                || maxSparseSegments < 0
                || maxMetadataBytes < 0) {
            throw new IllegalArgumentException("a limit is too low");
        }
    }
}
