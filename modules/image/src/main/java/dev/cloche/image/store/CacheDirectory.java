package dev.cloche.image.store;

import java.util.Locale;

/** What the cache directory consists of. */
public enum CacheDirectory {
    LAYERS,
    BLOBS,
    FSMETA,
    VMDK,
    MANIFESTS,
    LOCKS,
    TMP;

    String directoryName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
