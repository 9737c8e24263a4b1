package dev.cloche.image;

import java.util.List;
import java.util.stream.Collectors;

/** The image cannot be removed, because it has holders. */
public final class ImageInUse extends ImageException {
    private static final int NAMED = 10;
    private final List<ImageHolder> holders;

    public ImageInUse(ImageReference reference, List<ImageHolder> holders) {
        super(
                "image.in-use",
                "The image " + reference + " is in use by " + name(holders) + ".",
                "Remove what uses it first, or take only its name away: cloche.images().remove(…, true)",
                null);
        this.holders = List.copyOf(holders);
    }

    /** Returns all that use it. */
    public List<ImageHolder> holders() {
        return holders;
    }

    private static String name(List<ImageHolder> holders) {
        String first = holders.stream().limit(NAMED).map(ImageHolder::toString).collect(Collectors.joining(", "));
        return holders.size() <= NAMED ? first : first + " and " + (holders.size() - NAMED) + " more";
    }
}
