package dev.cloche.image.transfer;

import dev.cloche.base.Deadline;
import dev.cloche.image.ImageDamaged;
import dev.cloche.image.ImageDisk;
import dev.cloche.image.ImageException;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageReference;
import dev.cloche.image.ImageStore;
import dev.cloche.image.PullListener;
import dev.cloche.image.PullPolicy;
import dev.cloche.image.store.CacheFiles;
import dev.cloche.image.store.ImageCatalog;
import dev.cloche.image.store.Recorded;
import dev.cloche.image.store.Soundness;
import dev.cloche.image.store.StoredImage;
import dev.cloche.image.store.UnusedFiles;
import java.util.Optional;

/** Images in the hands of their holders: the disk that each boots from, whole whatever has become of the cache. */
public final class HeldImages {
    private final CacheFiles files;
    private final ImageCatalog catalog;
    private final Soundness soundness;
    private final ImageBringer bringer;

    public HeldImages(CacheFiles files, ImageCatalog catalog, Soundness soundness, ImageBringer bringer) {
        this.files = files;
        this.catalog = catalog;
        this.soundness = soundness;
        this.bringer = bringer;
    }

    /** As {@link ImageStore#acquire} promises. */
    public ImageDisk acquire(
            ImageReference reference, PullPolicy policy, ImageHolder holder, PullListener listener, Deadline deadline) {
        Optional<ImageHolder> held = Optional.of(holder);
        // What a digest means no registry can change.
        if (policy == PullPolicy.ALWAYS && !reference.isDigestAlone()) {
            return disk(reference, bringer.bringAnew(reference, held, listener, deadline));
        }
        Optional<Recorded> pinned = catalog.pin(reference, holder, soundness::isUsable);
        Optional<StoredImage> known = pinned.isPresent() ? Optional.empty() : catalog.find(reference);
        if (known.isPresent() && bringer.isSound(known)) {
            // Of another boot of the host, or touched, and just checked.
            pinned = catalog.pin(reference, holder, soundness::isUsable);
        }
        if (pinned.isPresent()) {
            return disk(reference, pinned.get());
        }
        return disk(reference, bringer.bringMissing(reference, known, policy, held, listener, deadline));
    }

    /** As {@link ImageStore#acquireHeld} promises. */
    public Optional<ImageDisk> acquireHeld(
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
    public boolean mend(ImageReference reference, ImageHolder holder, PullListener listener, Deadline deadline) {
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
        } catch (ImageDamaged known) {
            throw known;
        } catch (ImageException unavailable) {
            throw new ImageDamaged(reference, unavailable);
        }
    }

    /** As {@link ImageStore#heldDisk} promises. */
    public Optional<ImageDisk> disk(ImageHolder holder, ImageReference reference) {
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
