package dev.cloche.image.manifest;

import dev.cloche.image.Platform;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Says which image of an index runs on a platform. A pure function. */
public final class PlatformChoice {
    private PlatformChoice() {}

    /** Returns the first image for exactly this platform, or the only image if the index says nothing of platforms. */
    public static Optional<Descriptor> choose(List<Descriptor> manifests, Platform wanted) {
        List<Descriptor> images =
                manifests.stream().filter(m -> !m.attestation()).toList();
        if (images.size() == 1 && images.getFirst().platform().isEmpty()) {
            return Optional.of(images.getFirst());
        }
        return images.stream()
                .filter(m -> m.platform().equals(Optional.of(wanted)))
                .findFirst();
    }

    /** Returns the platforms that there are, for a message. */
    public static String existing(List<Descriptor> manifests) {
        String all = manifests.stream()
                .filter(m -> !m.attestation())
                .flatMap(m -> m.platform().stream())
                .map(Platform::toString)
                .distinct()
                .limit(20)
                .collect(Collectors.joining(", "));
        return all.isEmpty() ? "none" : all;
    }
}
