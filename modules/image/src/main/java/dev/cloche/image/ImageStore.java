package dev.cloche.image;

import dev.cloche.base.Deadline;
import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogSchema;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The images of this host: pulled once, kept as disks, and kept as long as somebody holds them.
 *
 * <p>Layers are stored by the digest of their uncompressed form and shared by all images. Safe for use from many threads
 * and processes. It holds no resources of its own, and ends with its catalog. Every method throws an
 * {@link ImageException} for what is about images, and a {@link dev.cloche.catalog.CatalogException} where the catalog
 * fails.
 */
public final class ImageStore {
    /** Removals between a pull and its pin are rare; more of them in a row do not happen by chance. */
    private static final int ROUNDS = 5;

    private final CacheFiles files;
    private final ImageCatalog catalog;
    private final ImageStoreOptions options;
    private final ImagePuller puller;

    private ImageStore(CacheFiles files, ImageCatalog catalog, ImageStoreOptions options) {
        this.files = files;
        this.catalog = catalog;
        this.options = options;
        this.puller = new ImagePuller(files, catalog, options);
    }

    /** Loads what reading a stored image needs, on behalf of a later {@link #acquire}. Touches no file. */
    public static void prepare() {
        var _ = Json.readMap("{}");
    }

    /** The tables that the catalog must have been opened with. */
    public static CatalogSchema schema() {
        return ImageCatalog.SCHEMA;
    }

    /**
     * Opens the store; nothing is read or written yet.
     *
     * @param cacheDirectory where the files are; created when something is pulled
     * @param catalog opened with {@link #schema()}
     */
    public static ImageStore open(Path cacheDirectory, Catalog catalog, ImageStoreOptions options) {
        return new ImageStore(CacheFiles.in(cacheDirectory), new ImageCatalog(catalog, options.clock()), options);
    }

    /**
     * Gives a holder an image's disk, and keeps the image until {@link #release}. The image is pulled first if the policy
     * says so or if a file of it is missing. A holder that held another image holds this one instead.
     *
     * @throws ImageNotFound if it is not here and must not be pulled
     * @throws PullFailed if it cannot be pulled
     * @throws CorruptArchiveException if one of its layers cannot be used
     */
    public ImageDisk acquire(
            ImageReference reference, PullPolicy policy, ImageHolder holder, PullListener listener, Deadline deadline) {
        if (policy == PullPolicy.ALWAYS) {
            pull(reference, PullPolicy.ALWAYS, listener, deadline);
        }
        for (int round = 0; round < ROUNDS; round++) {
            Optional<ImageCatalog.Pinned> pinned = catalog.pin(reference, holder, files::isComplete);
            if (pinned.isPresent()) {
                delete(pinned.get().unused());
                StoredImage image = pinned.get().image();
                return new ImageDisk(files.vmdk(image.manifest()), image.config(), image.manifest(), reference);
            }
            if (policy == PullPolicy.NEVER) {
                throw new ImageNotFound(reference);
            }
            pull(reference, PullPolicy.MISSING, listener, deadline);
        }
        throw new PullFailed(
                PullFailed.Reason.GAVE_UP,
                reference.registry(),
                "the image was removed again and again before it could be used");
    }

    /** How the image that the holder holds wants to be run; empty if it holds none. */
    public Optional<ImageConfig> heldConfig(ImageHolder holder) {
        return catalog.heldBy(holder).map(StoredImage::config);
    }

    /** Ends a holder's use of its image; a holder without one is none's loss. An image without a name is then removed. */
    public void release(ImageHolder holder) {
        delete(catalog.unpin(holder));
    }

    /**
     * Brings an image here.
     *
     * @throws ImageNotFound if it is not here and must not be pulled
     * @throws PullFailed if it cannot be pulled
     * @throws CorruptArchiveException if one of its layers cannot be used
     */
    public ImageSummary pull(ImageReference reference, PullPolicy policy, PullListener listener, Deadline deadline) {
        Optional<StoredImage> known = catalog.find(reference);
        boolean complete = known.filter(files::isComplete).isPresent();
        if (policy == PullPolicy.NEVER && !complete) {
            throw new ImageNotFound(reference);
        }
        if (policy == PullPolicy.ALWAYS || !complete) {
            // A repair brings back what the name meant; only ALWAYS asks what it means now.
            Optional<Digest> meant = known.map(StoredImage::manifest).filter(_ -> policy != PullPolicy.ALWAYS);
            bring(reference, meant, new Serialized(listener), deadline);
        }
        return get(reference);
    }

    /** Every name, the newest first. */
    public List<ImageSummary> list() {
        return catalog.list();
    }

    /**
     * One name.
     *
     * @throws ImageNotFound if it is not here
     */
    public ImageSummary get(ImageReference reference) {
        return catalog.summary(reference).orElseThrow(() -> new ImageNotFound(reference));
    }

    /**
     * Forgets a name. If it was the image's last one the image goes too, and with it every layer that no other image has.
     *
     * @throws ImageNotFound if there is no such name
     * @throws ImageInUse if somebody holds the image
     */
    public void remove(ImageReference reference) {
        delete(catalog.remove(reference));
    }

    private void bring(ImageReference reference, Optional<Digest> meant, PullListener listener, Deadline deadline) {
        try (ImageSource source = source(reference, deadline)) {
            // A bundled layout keeps no history: its name means what is there now.
            ImageReference wanted = source instanceof LayoutSource
                    ? reference
                    : meant.map(reference::at).orElse(reference);
            delete(puller.pull(source, reference, wanted, listener, deadline));
        } catch (ClosedByInterruptException | InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PullFailed(
                    PullFailed.Reason.GAVE_UP, reference.registry(), OptionalInt.empty(), "it was interrupted", e);
        } catch (IOException e) {
            throw failed(reference, e);
        }
    }

    private ImageSource source(ImageReference reference, Deadline deadline) {
        for (Path layout : options.bundled()) {
            Optional<LayoutSource> bundled = LayoutSource.find(layout, reference, options.limits());
            if (bundled.isPresent()) {
                return bundled.get();
            }
        }
        return new RegistrySource(reference, options, deadline);
    }

    private void delete(ImageCatalog.Unused unused) {
        try {
            new UnusedFiles(files, catalog).delete(unused);
        } catch (IOException e) {
            throw new ImageCacheFailed(files.root(), e);
        } catch (InterruptedException e) {
            // The rows are gone, which is what was asked for; files without rows are collected later.
            Thread.currentThread().interrupt();
        }
    }

    private ImageException failed(ImageReference reference, IOException cause) {
        return isFull(cause.getMessage())
                ? new PullFailed(
                        PullFailed.Reason.NO_SPACE,
                        reference.registry(),
                        OptionalInt.empty(),
                        "there is no space left in " + files.root(),
                        cause)
                : new ImageCacheFailed(files.root(), cause);
    }

    /** The JDK has no type for ENOSPC and EDQUOT, only their texts. */
    private static boolean isFull(@Nullable String message) {
        return message != null && (message.contains("No space left") || message.contains("quota exceeded"));
    }
}
