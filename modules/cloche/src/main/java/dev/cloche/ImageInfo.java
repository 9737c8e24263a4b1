package dev.cloche;

import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageSummary;
import dev.cloche.image.ListedImage;
import java.time.Instant;
import java.util.List;

/**
 * An image that is on this host.
 *
 * <pre>{@code
 * ImageInfo image = cloche.images().pull("debian:12");
 * System.out.println(image.digest() + " " + image.sizeBytes());
 * }</pre>
 *
 * @param reference the normalised reference; the digest of an image that has no name any more
 * @param digest of the manifest, {@code sha256:…}
 * @param os as its config says, {@code linux}
 * @param architecture as its config says, for example {@code amd64}
 * @param layers how many it is made of
 * @param sizeBytes sum of the compressed layers
 * @param createdAt when the reference was first pulled here
 * @param lastUsedAt when the reference was last pulled or started
 * @param usedBy who uses the image, by whichever reference, for example {@code sandbox web}
 */
public record ImageInfo(
        String reference,
        String digest,
        String os,
        String architecture,
        int layers,
        long sizeBytes,
        Instant createdAt,
        Instant lastUsedAt,
        List<String> usedBy) {
    /** Copies the list. */
    public ImageInfo {
        usedBy = List.copyOf(usedBy);
    }

    /** Whether it has a name; one without goes with the last that uses it. */
    public boolean named() {
        return !reference.equals(digest);
    }

    static ImageInfo of(ListedImage listed) {
        ImageSummary image = listed.image();
        return new ImageInfo(
                image.reference().toString(),
                image.manifest().toString(),
                image.platform().os(),
                image.platform().architecture(),
                image.layers(),
                image.sizeBytes(),
                image.createdAt(),
                image.lastUsedAt(),
                listed.holders().stream().map(ImageHolder::toString).toList());
    }
}
