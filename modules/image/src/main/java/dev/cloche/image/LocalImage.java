package dev.cloche.image;

import java.util.List;

/**
 * Describes an image on this host, with who uses it.
 *
 * <pre>{@code
 * LocalImage image = cloche.images().pull("debian:12");
 * System.out.println(image.summary().manifest() + " " + image.summary().sizeBytes());
 * }</pre>
 *
 * @param summary the image, by one of its names; by its digest alone if it has none any more
 * @param holders who uses it, under any of its names
 */
public record LocalImage(ImageSummary summary, List<ImageHolder> holders) {
    public LocalImage {
        holders = List.copyOf(holders);
    }

    /** Returns whether it has a name; one without goes with the last that uses it. */
    public boolean named() {
        return !summary.reference().isDigestAlone();
    }
}
