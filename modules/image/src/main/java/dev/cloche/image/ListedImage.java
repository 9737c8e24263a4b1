package dev.cloche.image;

import java.util.List;

/**
 * Describes an image in a list.
 *
 * @param image by one of its names; by its digest alone if it has none any more
 * @param holders who uses it, under any of its names
 */
public record ListedImage(ImageSummary image, List<ImageHolder> holders) {
    public ListedImage {
        holders = List.copyOf(holders);
    }
}
