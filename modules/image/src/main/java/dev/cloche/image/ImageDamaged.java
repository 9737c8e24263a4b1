package dev.cloche.image;

/** A file of an image is not what was written, and could not be made again. Code {@code image.damaged}. */
public final class ImageDamaged extends ImageException {
    public ImageDamaged(ImageReference reference, ImageException why) {
        super(
                "image.damaged",
                "The image " + reference + " is damaged on this host and could not be made again: " + why.sentence(),
                reference.isDigestAlone()
                        ? "Pull it by its name, or load it from an archive: cloche.images().load(…)"
                        : "When its registry can be reached: cloche.images().pull(\"" + reference
                                + "\"); from an archive: cloche.images().load(…)",
                why);
    }
}
