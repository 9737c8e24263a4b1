package dev.cloche.image;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * Says what {@link ImageStore#prune} may take. It never takes an image that has holders.
 *
 * @param unusedFor how long a name must not have been pulled or used; zero for every name
 * @param keepBytes size of the cache that is small enough: the least recently used go until it is reached; without it,
 *     all go that may
 */
public record ImagePruneRequest(Duration unusedFor, OptionalLong keepBytes) {
    public ImagePruneRequest {
        if (unusedFor.isNegative() || keepBytes.orElse(0) < 0) {
            throw new IllegalArgumentException("neither a time nor a size can be negative");
        }
    }

    /** Returns a request for every image that has no holder. */
    public static ImagePruneRequest everything() {
        return new ImagePruneRequest(Duration.ZERO, OptionalLong.empty());
    }
}
