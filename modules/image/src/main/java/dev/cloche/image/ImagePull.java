package dev.cloche.image;

import dev.cloche.base.Operation;
import java.time.Duration;
import java.util.Optional;

/**
 * Describes the pull of an image that has ended, from its source to files that a VM starts with, as a {@link
 * dev.cloche.base.OperationListener} hears of it. Also of one that was here already.
 *
 * @param image as it was asked for
 * @param manifest empty if it failed
 * @param source the registry, or the directory or archive of images
 * @param layers how many it has; 0 if it failed before they were known
 * @param newLayers those that were not here already
 * @param bytes read of compressed layers
 */
public record ImagePull(
        ImageReference image,
        Optional<Digest> manifest,
        String source,
        int layers,
        int newLayers,
        long bytes,
        Duration took,
        Optional<String> failure)
        implements Operation {}
