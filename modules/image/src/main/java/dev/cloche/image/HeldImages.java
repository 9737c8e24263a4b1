package dev.cloche.image;

import dev.cloche.base.Deadline;
import java.util.Optional;

/** Images in the hands of their holders: the disk that each boots from, whole whatever has become of the cache. */
final class HeldImages {
    private final CacheFiles files;
    private final ImageCatalog catalog;
    private final Soundness soundness;
    private final ImageBringer bringer;

    HeldImages(CacheFiles files, ImageCatalog catalog, Soundness soundness, ImageBringer bringer) {
        this.files = files;
        this.catalog = catalog;
        this.soundness = soundness;
        this.bringer = bringer;
    }

    /** As {@link ImageStore#acquire} promises. */
    ImageDisk acquire(
            ImageReference reference, PullPolicy policy, ImageHolder holder, PullListener listener, Deadline deadline) {
        if (policy != PullPolicy.ALWAYS) {
            Optional<Recorded> pinned = catalog.pin(reference, holder, soundness::isUsable);
            if (pinned.isEmpty() && bringer.isSound(catalog.find(reference))) {
                // Of another boot of the host, and just checked.
                pinned = catalog.pin(reference, holder, soundness::isUsable);
            }
            if (pinned.isPresent()) {
                return disk(reference, pinned.get());
            }
            if (policy == PullPolicy.NEVER) {
                throw new ImageNotFound(reference);
            }
        }
        return disk(reference, bringer.bring(reference, policy, Optional.of(holder), listener, deadline));
    }

    /** As {@link ImageStore#acquireHeld} promises. */
    Optional<ImageDisk> acquireHeld(
            ImageReference reference, ImageHolder holder, PullListener listener, Deadline deadline) {
        Optional<StoredImage> held = catalog.heldBy(holder);
        if (held.isEmpty()) {
            return Optional.empty();
        }
        if (soundness.isUsable(held.get()) || bringer.isSound(held)) {
            return held.map(image -> disk(reference, image));
        }
        return Optional.of(disk(reference, bringer.bringBack(reference, held.get(), holder, listener, deadline)));
    }

    /** As {@link ImageStore#mendHeld} promises. */
    boolean mend(ImageReference reference, ImageHolder holder, PullListener listener, Deadline deadline) {
        Optional<StoredImage> held = catalog.heldBy(holder);
        if (held.isEmpty()) {
            return false;
        }
        catalog.doubt(held.get());
        if (bringer.isSound(catalog.heldBy(holder))) {
            return false;
        }
        try {
            return acquireHeld(reference, holder, listener, deadline).isPresent();
        } catch (ImageException unavailable) {
            throw new ImageDamaged(reference, unavailable);
        }
    }

    /** As {@link ImageStore#heldDisk} promises. */
    Optional<ImageDisk> disk(ImageHolder holder, ImageReference reference) {
        return catalog.heldBy(holder)
                .filter(image -> bringer.isSound(Optional.of(image)))
                .map(image -> disk(reference, image));
    }

    private ImageDisk disk(ImageReference reference, Recorded recorded) {
        UnusedFiles.discard(recorded.unused(), files, catalog);
        return disk(reference, recorded.image());
    }

    private ImageDisk disk(ImageReference reference, StoredImage image) {
        return new ImageDisk(files.vmdk(image.manifest()), image.config(), image.manifest(), reference);
    }
}
