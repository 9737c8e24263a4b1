package dev.cloche.image;

/**
 * Says how much of a registry's content is taken into memory or onto the disk.
 *
 * @param documentBytes longest manifest, index or config
 * @param layers most layers of one image
 * @param layerBytes longest compressed layer
 * @param entries most files, directories and links in all layers of one image together
 * @param metadataBytes their names, link targets and extended attributes together
 * @param archive bounds on an uncompressed layer
 */
public record ImageLimits(
        int documentBytes, int layers, long layerBytes, long entries, long metadataBytes, ArchiveLimits archive) {
    private static final long GIB = 1L << 30;

    public ImageLimits {
        if (documentBytes < 1 || layers < 1 || layerBytes < 1 || entries < 1 || metadataBytes < 1) {
            throw new IllegalArgumentException("limits are positive");
        }
    }

    /**
     * Returns limits far above every image in common use: 4 MiB documents, 512 layers of 64 GiB, two million entries in all,
     * with 256 MiB of names and attributes.
     */
    public static ImageLimits generous() {
        return new ImageLimits(4 << 20, 512, 64 * GIB, 2_000_000, 256L << 20, ArchiveLimits.DEFAULT);
    }
}
