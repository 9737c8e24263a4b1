package dev.cloche.image.store;

import dev.cloche.image.ImageSummary;

/**
 * Describes an image that a name means since this moment, and that a holder holds if one was given.
 *
 * @param forgotten what the name or the holder had before, if nothing else keeps it
 */
public record RecordedImage(StoredImage image, ImageSummary summary, ForgottenContent forgotten) {}
