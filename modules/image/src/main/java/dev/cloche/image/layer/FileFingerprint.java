package dev.cloche.image.layer;

import dev.cloche.image.Digest;

/**
 * Says what a file of the cache was when it was written.
 *
 * @param bytes its length
 * @param sha256 of its content; of a layer as {@link LayerFormat#read} takes it
 */
public record FileFingerprint(long bytes, Digest sha256) {}
