package dev.cloche.image;

import dev.cloche.base.Deadline;
import dev.cloche.base.JsonValue;
import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogSchema;
import dev.cloche.catalog.WriteDurability;
import dev.cloche.image.manifest.ConfigDocument;
import dev.cloche.image.manifest.JsonText;
import dev.cloche.image.store.CacheCheck;
import dev.cloche.image.store.CacheFiles;
import dev.cloche.image.store.CacheLimit;
import dev.cloche.image.store.CacheVerification;
import dev.cloche.image.store.ForgottenContent;
import dev.cloche.image.store.ForgottenFiles;
import dev.cloche.image.store.ImageCatalog;
import dev.cloche.image.store.ImagePruning;
import dev.cloche.image.store.ImageRemovals;
import dev.cloche.image.store.RecordedImage;
import dev.cloche.image.store.StoredImage;
import dev.cloche.image.transfer.HeldImages;
import dev.cloche.image.transfer.ImageFetcher;
import dev.cloche.image.transfer.ImageSaving;
import dev.cloche.image.transfer.SynchronizedListener;
import dev.cloche.linux.ProcessIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Keeps the images of this host: pulled once, stored as disks, and kept as long as they have holders.
 *
 * <p>Layers are stored by the digest of their uncompressed form and shared by all images. Safe for use from many threads
 * and processes. It holds no resources of its own, and ends with its catalog. Every method throws an
 * {@link ImageException} for what is about images, and a {@link dev.cloche.catalog.CatalogException} where the catalog
 * fails.
 */
public final class ImageStore {
    private final CacheFiles files;
    private final ImageCatalog catalog;
    private final ImageRemovals removals;
    private final ImageFetcher fetcher;
    private final HeldImages held;
    private final ImageStoreOptions options;

    private ImageStore(CacheFiles files, Catalog catalog, ImageStoreOptions options, String boot) {
        this.files = files;
        this.catalog = new ImageCatalog(catalog, options.clock(), boot);
        this.removals = new ImageRemovals(catalog);
        CacheVerification verification = new CacheVerification(files, this.catalog);
        CacheLimit limit = new CacheLimit(
                this.catalog, new ImagePruning(files, this.catalog, removals, options.clock()), options.keepBytes());
        this.fetcher = new ImageFetcher(files, this.catalog, verification, limit, options);
        this.held = new HeldImages(files, this.catalog, verification, fetcher);
        this.options = options;
    }

    /** Loads what reading a stored image needs, on behalf of a later {@link #acquire}. Touches no file. */
    public static void prepare() {
        var _ = JsonText.readMap("{}");
    }

    /** Returns the tables that the catalog must have been opened with. */
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
        // Without a boot's name, files are taken to be as their names and lengths say.
        return open(
                cacheDirectory,
                catalog,
                options,
                ProcessIdentity.currentBootId().orElse("unknown"));
    }

    static ImageStore open(Path cacheDirectory, Catalog catalog, ImageStoreOptions options, String boot) {
        return new ImageStore(CacheFiles.in(cacheDirectory), catalog, options, boot);
    }

    /**
     * Gives a holder an image's disk, and keeps the image until {@link #release}. The image is pulled first if the policy
     * says so or if a file of it is missing or damaged. A holder that held another image holds this one instead.
     *
     * @throws ImageNotFound if it is not here and must not be pulled
     * @throws ImageDamaged if a file of it is missing or damaged, and could not be made again
     * @throws PullFailed if it cannot be pulled
     * @throws CorruptArchiveException if one of its layers cannot be used
     */
    public ImageDisk acquire(
            ImageReference reference, PullPolicy policy, ImageHolder holder, PullListener listener, Deadline deadline) {
        return acquire(reference, policy, holder, WriteDurability.FORCED, listener, deadline);
    }

    /**
     * Does as {@link #acquire(ImageReference, PullPolicy, ImageHolder, PullListener, Deadline)}; that an image which is here is
     * held is on the disk when the durability says.
     */
    public ImageDisk acquire(
            ImageReference reference,
            PullPolicy policy,
            ImageHolder holder,
            WriteDurability durability,
            PullListener listener,
            Deadline deadline) {
        return held.acquire(reference, policy, holder, durability, listener, deadline);
    }

    /**
     * Gives a holder the disk of the image that it holds once more, even if the image's name means another one by now. What is
     * missing or damaged of it is fetched again by its digest.
     *
     * @param reference by which the image was acquired
     * @return empty if the holder holds none
     * @throws ImageDamaged if it could not be made again
     * @throws PullFailed if it cannot be brought back for a reason of this host
     */
    public Optional<ImageDisk> acquireHeld(
            ImageReference reference, ImageHolder holder, PullListener listener, Deadline deadline) {
        return held.acquireHeld(reference, holder, listener, deadline);
    }

    /**
     * Reads every file of an image of which a VM did not come up, also those that count as verified, and makes again what is
     * not as it was written.
     *
     * @param reference by which the image was acquired
     * @return whether something was damaged, and is sound now; false also if the holder holds none
     * @throws ImageDamaged if it could not be made again
     */
    public boolean mendHeld(ImageReference reference, ImageHolder holder, PullListener listener, Deadline deadline) {
        return held.mend(reference, holder, listener, deadline);
    }

    /** Has every file of the holder's image read before its next use, as after another boot of the host. Quick. */
    public void doubtHeld(ImageHolder holder) {
        catalog.heldBy(holder).ifPresent(catalog::doubt);
    }

    /**
     * Has a second holder hold the image that the first holds.
     *
     * @return whether the first holds one
     */
    public boolean share(ImageHolder from, ImageHolder to) {
        Optional<ForgottenContent> before = catalog.share(from, to);
        before.ifPresent(this::delete);
        return before.isPresent();
    }

    /** Returns how the image that the holder holds wants to be run; empty if it holds none. */
    public Optional<ImageConfig> heldConfig(ImageHolder holder) {
        return catalog.heldBy(holder).map(StoredImage::config);
    }

    /**
     * Returns the disk that the holder holds, even if its name means another image by now; empty if it holds none, or a file of
     * it is missing or damaged, which {@link #acquire} mends.
     *
     * @param reference by which it was asked for
     */
    public Optional<ImageDisk> heldDisk(ImageHolder holder, ImageReference reference) {
        return held.disk(holder, reference);
    }

    /** Returns those of a kind that hold an image. */
    public List<ImageHolder> holders(String kind) {
        return catalog.holders(kind);
    }

    /** Ends a holder's use of its image; a holder without one is none's loss. An image without a name is then removed. */
    public void release(ImageHolder holder) {
        delete(catalog.unpin(holder));
    }

    /**
     * Brings an image here.
     *
     * @throws ImageNotFound if it is not here and must not be pulled
     * @throws ImageDamaged if a file of it is missing or damaged, and could not be made again
     * @throws PullFailed if it cannot be pulled
     * @throws CorruptArchiveException if one of its layers cannot be used
     */
    public ImageSummary pull(ImageReference reference, PullPolicy policy, PullListener listener, Deadline deadline) {
        RecordedImage recorded;
        if (policy == PullPolicy.ALWAYS) {
            recorded = fetcher.fetchAgain(reference, Optional.empty(), listener, deadline);
        } else {
            Optional<ImageSummary> summary = catalog.listing().summary(reference);
            Optional<StoredImage> known = catalog.find(reference);
            if (summary.isPresent() && fetcher.isIntact(known)) {
                return summary.get();
            }
            recorded = fetcher.fetchMissing(reference, known, policy, Optional.empty(), listener, deadline);
        }
        delete(recorded.forgotten());
        return recorded.summary();
    }

    /**
     * Takes images out of an archive of {@code docker save} or {@link #save}, or of an OCI layout, as directory or
     * archive. An archive may be compressed by gzip or zstd. The layers are kept as they came beside the form that boots,
     * because no registry has them.
     *
     * @param name what its image is called; needed where the archive does not say
     * @return the images, in the order of the archive
     * @throws LoadFailed if it is no archive of images
     * @throws CorruptArchiveException if it is damaged
     * @throws PullFailed if an image of it cannot be used
     */
    public List<ImageSummary> load(
            Path archive, Optional<ImageReference> name, PullListener listener, Deadline deadline) {
        List<RecordedImage> loaded = fetcher.load(archive, name, listener, deadline);
        loaded.forEach(image -> delete(image.forgotten()));
        return loaded.stream().map(RecordedImage::summary).toList();
    }

    /**
     * Writes images into one archive, an OCI layout that Docker loads too. Manifests and layers are those that came, byte
     * for byte, so the digests stay what they are; what is not here in that form is fetched from its registry.
     *
     * @param target a file that does not exist yet; it appears when it is complete and on the disk
     * @throws ImageNotFound if one is not here
     * @throws SaveFailed if there is such a file, or a layer is not to be had
     */
    public void save(List<ImageReference> references, Path target, PullListener listener, Deadline deadline) {
        PullListener heard = new SynchronizedListener(listener);
        ImageSaving saving =
                new ImageSaving(files, catalog, options.limits(), name -> fetcher.source(name, heard, deadline), heard);
        try {
            saving.save(references, target.toAbsolutePath());
        } catch (IOException e) {
            throw new SaveFailed(
                    "The archive " + target + " cannot be written: " + e.getMessage() + ".",
                    "Check its directory and the space there.",
                    e);
        }
    }

    /**
     * Returns everything that is recorded of an image.
     *
     * @throws ImageNotFound if it is not here
     */
    public ImageDetails inspect(ImageReference reference) {
        ImageDetails details = catalog.listing()
                .details(named(reference))
                .orElseThrow(() -> catalog.listing().notHere(reference));
        try {
            byte[] config = Files.readAllBytes(files.document(details.configDigest()));
            return details.withWarnings(ConfigDocument.read(config).warnings());
        } catch (IOException | JsonValue.Malformed e) {
            return details.withWarnings(List.of("The config as it came is not readable here."));
        }
    }

    /** Returns the newest name of an image that is meant by its digest alone, if it has one. */
    private ImageReference named(ImageReference reference) {
        if (!reference.isDigestAlone()) {
            return reference;
        }
        return list().stream()
                .filter(image -> reference.digest().equals(Optional.of(image.manifest())))
                .map(ImageSummary::reference)
                .filter(name -> !name.isDigestAlone())
                .findFirst()
                .orElse(reference);
    }

    /**
     * Gives an image another name; a name that means something else is moved.
     *
     * @throws ImageNotFound if {@code existing} is not here
     * @throws BadReference if {@code name} is a digest alone
     */
    public ImageSummary tag(ImageReference existing, ImageReference name) {
        if (name.isDigestAlone()) {
            throw new BadReference(name.toString(), "it is a digest, which an image has by itself");
        }
        RecordedImage recorded =
                catalog.tag(existing, name).orElseThrow(() -> catalog.listing().notHere(existing));
        delete(recorded.forgotten());
        return recorded.summary();
    }

    /**
     * Makes an image of the one that a holder holds and of what has changed in it. Its layers are those of that image and one
     * more, its config is that of that image. The same changes make the same image.
     *
     * @param name what it is called; a name that means something else is moved
     * @param message what its history says of the layer; may be empty
     * @param changes passes on all that has changed
     * @throws BadReference if the name has a digest
     * @throws CommitFailed if the changes make no layer, or there is no room for it; nothing of it has been kept
     */
    public ImageSummary commit(
            ImageHolder holder,
            ImageReference name,
            String message,
            Consumer<LayerChanges> changes,
            PullListener listener,
            Deadline deadline) {
        if (name.digest().isPresent()) {
            throw new BadReference(name.toString(), "a digest is what an image has by itself, so it needs a tag");
        }
        StoredImage base = catalog.heldBy(holder)
                .orElseThrow(() -> new CommitFailed(
                        "the sandbox's image is not here any more", "Stop the sandbox and start it again.", null));
        RecordedImage made = fetcher.commit(base.manifest(), name, message, changes, listener, deadline);
        delete(made.forgotten());
        return made.summary();
    }

    /** Removes images without holders, as far as the request says, and files that belong to no image. */
    public ImagePruneReport prune(ImagePruneRequest request) {
        return fetcher.inCache(() -> pruning().prune(request));
    }

    /** Returns what {@link #prune} would remove now; removes nothing. */
    public ImagePruneReport prunePlan(ImagePruneRequest request) {
        return fetcher.inCache(() -> pruning().rehearse(request));
    }

    /** Reads every file of the cache and compares it with what is recorded. Changes nothing; may take a while. */
    public List<CacheProblem> check() {
        return fetcher.inCache(() -> new CacheCheck(files, catalog).run());
    }

    /** Returns every name, the newest first. */
    public List<ImageSummary> list() {
        return catalog.listing().list();
    }

    /**
     * Returns every name, the newest first, then the images that are held and have none any more; each with who holds it.
     */
    public List<LocalImage> listed() {
        return catalog.listing().listed();
    }

    /** Returns who holds an image, under any of its names. */
    public List<ImageHolder> holdersOf(Digest manifest) {
        return catalog.listing().holdersOf(manifest);
    }

    /**
     * Returns what a person means by a name, or by the digest of an image on this host or the beginning of one:
     * {@code sha256:} and at least 6 digits.
     *
     * @return for a digest, the whole digest
     * @throws BadReference if it is neither
     * @throws ImageNotFound if no image here has such a digest
     * @throws ImageAmbiguous if several have
     */
    public ImageReference resolve(String text) {
        if (!ImageReference.isDigestPrefix(text)) {
            return ImageReference.parse(text);
        }
        List<ImageSummary> found = catalog.listing().beginningWith(text, ImageAmbiguous.NAMED + 1);
        return switch (found.size()) {
            case 0 -> throw ImageNotFound.byDigest(text);
            case 1 -> ImageReference.of(found.getFirst().manifest());
            default ->
                throw new ImageAmbiguous(
                        text, found.stream().map(ImageSummary::manifest).toList());
        };
    }

    /**
     * Returns one name.
     *
     * @throws ImageNotFound if it is not here
     */
    public ImageSummary get(ImageReference reference) {
        return catalog.listing()
                .summary(reference)
                .orElseThrow(() -> catalog.listing().notHere(reference));
    }

    /**
     * Forgets a name. If it was the image's last one the image goes too, and with it every layer that no other image has. A
     * digest alone means the image's only name, and with force all of them.
     *
     * @param force whether the name goes although the image has holders; the image then goes with its last holder
     * @throws ImageNotFound if there is no such name
     * @throws ImageInUse if the image has holders
     * @throws ImageHasNames if it is meant by its digest, has several names and there is no force
     */
    public void remove(ImageReference reference, boolean force) {
        delete(removals.remove(reference, force));
    }

    private void delete(ForgottenContent forgotten) {
        ForgottenFiles.discard(forgotten, files, catalog);
    }

    private ImagePruning pruning() {
        return new ImagePruning(files, catalog, removals, options.clock());
    }
}
