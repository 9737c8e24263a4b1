package dev.cloche;

import dev.cloche.image.ImageSummary;
import java.time.Instant;

/**
 * An image that is on this host.
 *
 * <pre>{@code
 * ImageInfo image = cloche.images().pull("debian:12");
 * System.out.println(image.digest() + " " + image.sizeBytes());
 * }</pre>
 *
 * @param reference the normalised reference
 * @param digest of the manifest, {@code sha256:…}
 * @param os as its config says, {@code linux}
 * @param architecture as its config says, for example {@code amd64}
 * @param layers how many it is made of
 * @param sizeBytes sum of the compressed layers
 * @param createdAt when the reference was first pulled here
 * @param lastUsedAt when the reference was last pulled or started
 */
public record ImageInfo(
        String reference,
        String digest,
        String os,
        String architecture,
        int layers,
        long sizeBytes,
        Instant createdAt,
        Instant lastUsedAt) {
    static ImageInfo of(ImageSummary image) {
        return new ImageInfo(
                image.reference().toString(),
                image.manifest().toString(),
                image.platform().os(),
                image.platform().architecture(),
                image.layers(),
                image.sizeBytes(),
                image.createdAt(),
                image.lastUsedAt());
    }
}
