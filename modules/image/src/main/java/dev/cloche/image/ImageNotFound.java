package dev.cloche.image;

import java.util.List;

/** The image is not on this host, and was not to be pulled. Code {@code image.not-found}. */
public final class ImageNotFound extends ImageException {
    private static final String LIST = "List what is here with: cloche.images().list()";

    private ImageNotFound(String image, String remedy) {
        super("image.not-found", "The image " + image + " is not on this host.", remedy, null);
    }

    /**
     * Reports an image where a pull could have brought it, and was not allowed.
     *
     * @param here the names that are on this host
     */
    public static ImageNotFound withoutPull(ImageReference reference, List<ImageReference> here) {
        return reference.isDigestAlone()
                ? here(reference, here)
                : new ImageNotFound(
                        reference.toString(),
                        ImageSuggestions.remedy(
                                reference,
                                here,
                                "Allow a pull, or bring it with: cloche.images().pull(\"" + reference.familiar()
                                        + "\")"));
    }

    /**
     * Reports an image where only what is here can be meant.
     *
     * @param here the names that are on this host
     */
    public static ImageNotFound here(ImageReference reference, List<ImageReference> here) {
        return new ImageNotFound(reference.toString(), ImageSuggestions.remedy(reference, here, LIST));
    }

    /** No digest begins so. */
    static ImageNotFound byDigest(String prefix) {
        return new ImageNotFound(prefix, LIST);
    }
}
