package dev.cloche.image;

import java.util.Locale;

/** What the cache directory consists of. */
enum CacheDirectory {
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
