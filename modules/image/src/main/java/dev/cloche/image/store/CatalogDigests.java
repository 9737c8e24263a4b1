package dev.cloche.image.store;

import dev.cloche.image.Digest;
import java.util.Set;

/** Describes the digests of everything that has a row, as of one moment. */
record CatalogDigests(Set<Digest> manifests, Set<Digest> configs, Set<Digest> layers) {
    static final CatalogDigests NOTHING = new CatalogDigests(Set.of(), Set.of(), Set.of());

    boolean has(CacheDirectory directory, Digest content) {
        return switch (directory) {
            case LAYERS, BLOBS -> layers.contains(content);
            case FSMETA, VMDK -> manifests.contains(content);
            case MANIFESTS -> manifests.contains(content) || configs.contains(content);
            case LOCKS, TMP -> false;
        };
    }
}
