package dev.cloche.image;

/**
 * How much of a registry's content is taken into memory or onto the disk.
 *
 * @param documentBytes longest manifest, index or config
 * @param layers most layers of one image
 * @param layerBytes longest compressed layer
 * @param archive bounds on an uncompressed layer
 */
public record ImageLimits(int documentBytes, int layers, long layerBytes, ArchiveLimits archive) {
    private static final long GIB = 1L << 30;

    public ImageLimits {
        if (documentBytes < 1 || layers < 1 || layerBytes < 1) {
            throw new IllegalArgumentException("limits are positive");
        }
    }

    /** Far above every image in common use: 4 MiB documents, 512 layers of 64 GiB. */
    public static ImageLimits generous() {
        return new ImageLimits(4 << 20, 512, 64 * GIB, ArchiveLimits.DEFAULT);
    }
}
