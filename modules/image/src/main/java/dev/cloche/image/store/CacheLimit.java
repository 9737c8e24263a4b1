package dev.cloche.image.store;

import dev.cloche.base.ClocheException;
import dev.cloche.image.Digest;
import dev.cloche.image.ImageReference;
import dev.cloche.image.PullEvent;
import dev.cloche.image.PullListener;
import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Keeps the cache below its limit, where there is one: after each pull the least recently used images go. */
public final class CacheLimit {
    private final ImageCatalog catalog;
    private final ImagePruning pruning;
    private final Supplier<OptionalLong> bytes;

    /** @param bytes the limit, asked when something was pulled */
    public CacheLimit(ImageCatalog catalog, ImagePruning pruning, Supplier<OptionalLong> bytes) {
        this.catalog = catalog;
        this.pruning = pruning;
        this.bytes = bytes;
    }

    /**
     * Makes room after these were fetched, which stay even if they alone exceed the limit. The fetched image is complete, so a
     * failure is only reported.
     */
    public void hold(Collection<Digest> brought, PullListener listener) throws InterruptedException {
        try {
            OptionalLong limit = bytes.get();
            if (limit.isEmpty()) {
                return;
            }
            Set<ImageReference> spared = new HashSet<>();
            brought.forEach(manifest -> spared.addAll(catalog.listing().namesOf(manifest)));
            List<ImageReference> gone = pruning.shrink(limit.getAsLong(), spared);
            if (!gone.isEmpty()) {
                listener.on(new PullEvent.Warning("removed " + names(gone) + ", because all images are kept below "
                        + limit.getAsLong() + " bytes"));
            }
        } catch (IOException | ClocheException e) {
            listener.on(
                    new PullEvent.Warning("images are not kept below their limit: " + ClocheException.sentenceOf(e)));
        }
    }

    private static String names(List<ImageReference> gone) {
        return gone.stream().map(ImageReference::familiar).collect(Collectors.joining(", "));
    }
}
