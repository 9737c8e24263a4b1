package dev.cloche.image.store;

/**
 * Describes an image that a holder holds since this moment.
 *
 * @param forgotten what the holder had before, if nothing else keeps it
 */
public record PinnedImage(StoredImage image, ForgottenContent forgotten) {}
