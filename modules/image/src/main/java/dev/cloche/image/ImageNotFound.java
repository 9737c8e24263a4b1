package dev.cloche.image;

/** The image is not on this host, and was not to be pulled. */
public final class ImageNotFound extends ImageException {
    private final ImageReference reference;

    ImageNotFound(ImageReference reference) {
        super(
                "image.not-found",
                "The image " + reference + " is not on this host.",
                "Pull it first, or allow a pull; a list of images shows the names that are here.",
                null);
        this.reference = reference;
    }

    /** The image that was asked for. */
    public ImageReference reference() {
        return reference;
    }
}
