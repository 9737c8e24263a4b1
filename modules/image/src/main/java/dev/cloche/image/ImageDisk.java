package dev.cloche.image;

import java.nio.file.Path;

/**
 * Describes an image as a read-only disk. The files stay while the holder that acquired it holds it.
 *
 * @param vmdk descriptor that names the disk's extents
 * @param config how the image wants to be run
 * @param manifest the image's identity
 * @param reference the name by which it was asked for
 */
public record ImageDisk(Path vmdk, ImageConfig config, Digest manifest, ImageReference reference) {}
