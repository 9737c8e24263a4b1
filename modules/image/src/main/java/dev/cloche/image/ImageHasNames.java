package dev.cloche.image;

import java.util.List;
import java.util.stream.Collectors;

/** An image that was to be removed by its digest has several names. Code {@code image.several-names}. */
public final class ImageHasNames extends ImageException {
    private static final int NAMED = 10;

    public ImageHasNames(ImageReference digest, List<ImageReference> names) {
        super(
                "image.several-names",
                "The image " + digest + " has " + names.size() + " names: "
                        + names.stream()
                                .limit(NAMED)
                                .map(ImageReference::toString)
                                .collect(Collectors.joining(", "))
                        + (names.size() > NAMED ? " and others." : "."),
                "Remove the names one by one, or all of them with force: cloche.images().remove(…, true)",
                null);
    }
}
