package dev.cloche.image;

import java.time.Instant;

/**
 * Describes one image on this host, by one of its names.
 *
 * @param reference its name
 * @param manifest its identity, which other names may share
 * @param sizeBytes sum of its compressed layers
 * @param platform what it runs on
 * @param layers number of layers
 * @param createdAt when the name was first pulled here
 * @param lastUsedAt when the name was last pulled or acquired; an acquisition within a minute of the last one changes nothing
 */
public record ImageSummary(
        ImageReference reference,
        Digest manifest,
        long sizeBytes,
        Platform platform,
        int layers,
        Instant createdAt,
        Instant lastUsedAt) {}
