package dev.cloche.image.transfer;

import dev.cloche.base.Deadline;
import dev.cloche.catalog.WriteDurability;
import dev.cloche.image.ImageDamaged;
import dev.cloche.image.ImageDisk;
import dev.cloche.image.ImageException;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageReference;
import dev.cloche.image.ImageStore;
import dev.cloche.image.PullListener;
import dev.cloche.image.PullPolicy;
import dev.cloche.image.store.CacheFiles;
import dev.cloche.image.store.CacheVerification;
import dev.cloche.image.store.ForgottenFiles;
import dev.cloche.image.store.ImageCatalog;
import dev.cloche.image.store.PinnedImage;
import dev.cloche.image.store.RecordedImage;
import dev.cloche.image.store.StoredImage;
import java.util.Optional;

/** Gives holders the disks of their images, whole even if files of the cache were damaged or lost. */
public final class HeldImages {
    private final CacheFiles files;
    private final ImageCatalog catalog;
    private final CacheVerification verification;
    private final ImageFetcher fetcher;

    public HeldImages(CacheFiles files, ImageCatalog catalog, CacheVerification verification, ImageFetcher fetcher) {
        this.files = files;
        this.catalog = catalog;
        this.verification = verification;
        this.fetcher = fetcher;
    }

    /** Does what {@link ImageStore#acquire} promises. */
    public ImageDisk acquire(
            ImageReference reference,
            PullPolicy policy,
            ImageHolder holder,
            WriteDurability durability,
            PullListener listener,
            Deadline deadline) {
        Optional<ImageHolder> held = Optional.of(holder);
        // What a digest means no registry can change.
        if (policy == PullPolicy.ALWAYS && !reference.isDigestAlone()) {
            return disk(reference, fetcher.fetchAgain(reference, held, listener, deadline));
        }
        Optional<PinnedImage> pinned = catalog.pin(reference, holder, verification::isUsable, durability);
        Optional<StoredImage> known = pinned.isPresent() ? Optional.empty() : catalog.find(reference);
        if (known.isPresent() && fetcher.isIntact(known)) {
            // Of another boot of the host, or touched, and just checked.
            pinned = catalog.pin(reference, holder, verification::isUsable, durability);
        }
        if (pinned.isPresent()) {
            ForgottenFiles.discard(pinned.get().forgotten(), files, catalog);
            return disk(reference, pinned.get().image());
        }
        return disk(reference, fetcher.fetchMissing(reference, known, policy, held, listener, deadline));
    }

    /** Does what {@link ImageStore#acquireHeld} promises. */
    public Optional<ImageDisk> acquireHeld(
            ImageReference reference, ImageHolder holder, PullListener listener, Deadline deadline) {
        Optional<StoredImage> held = catalog.heldBy(holder);
        if (held.isEmpty()) {
            return Optional.empty();
        }
        if (verification.isUsable(held.get()) || fetcher.isIntact(held)) {
            return held.map(image -> disk(reference, image));
        }
        return Optional.of(disk(reference, fetcher.fetchLost(reference, held.get(), holder, listener, deadline)));
    }

    /** Does what {@link ImageStore#mendHeld} promises. */
    public boolean mend(ImageReference reference, ImageHolder holder, PullListener listener, Deadline deadline) {
        Optional<StoredImage> held = catalog.heldBy(holder);
        if (held.isEmpty()) {
            return false;
        }
        catalog.doubt(held.get());
        if (fetcher.isIntact(catalog.heldBy(holder))) {
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

    /** Does what {@link ImageStore#heldDisk} promises. */
    public Optional<ImageDisk> disk(ImageHolder holder, ImageReference reference) {
        return catalog.heldBy(holder)
                .filter(image -> fetcher.isIntact(Optional.of(image)))
                .map(image -> disk(reference, image));
    }

    private ImageDisk disk(ImageReference reference, RecordedImage recorded) {
        ForgottenFiles.discard(recorded.forgotten(), files, catalog);
        return disk(reference, recorded.image());
    }

    private ImageDisk disk(ImageReference reference, StoredImage image) {
        return new ImageDisk(files.vmdk(image.manifest()), image.config(), image.manifest(), reference);
    }
}
