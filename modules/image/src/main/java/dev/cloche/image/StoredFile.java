package dev.cloche.image;

/**
 * What a file of the cache was when it was written.
 *
 * @param bytes its length
 * @param sha256 of its content; of a layer as {@link LayerFormat#read} takes it
 */
record StoredFile(long bytes, Digest sha256) {}
