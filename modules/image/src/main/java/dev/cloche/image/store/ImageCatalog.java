package dev.cloche.image.store;

import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogSchema;
import dev.cloche.catalog.CatalogSchema.Migration;
import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.catalog.WriteDurability;
import dev.cloche.image.Digest;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageReference;
import dev.cloche.image.store.StoredImage.StoredLayer;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The rows about images: looking up, recording and pinning. Every method is one transaction. Thread-safe. {@link ImageListing} has
 * the read-outs.
 */
public final class ImageCatalog {
    public static final CatalogSchema SCHEMA = new CatalogSchema(
            "image",
            "META-INF/cloche/migrations/image",
            List.of(
                    Migration.additive("images", "names, manifests, layers and pins"),
                    Migration.additive("file_digests", "digests of the cache's files"),
                    Migration.additive("file_stamps", "stamps of the cache's files")));

    private static final Duration USE_RESOLUTION = Duration.ofMinutes(1);

    private final Catalog catalog;
    private final Clock clock;
    private final StoredImages images;
    private final ImageListing listing;

    /** @param boot this boot of the host */
    public ImageCatalog(Catalog catalog, Clock clock, String boot) {
        this.catalog = catalog;
        this.clock = clock;
        this.images = new StoredImages(boot);
        this.listing = new ImageListing(catalog, images);
    }

    /** Returns what people are shown of the images. */
    public ImageListing listing() {
        return listing;
    }

    public Optional<StoredImage> find(ImageReference reference) {
        return catalog.read(transaction -> images.named(transaction, reference));
    }

    public Optional<StoredImage> find(Digest manifest) {
        return catalog.read(transaction -> images.of(transaction, manifest));
    }

    List<StoredImage> all() {
        return catalog.read(images::all);
    }

    /** Returns what the holder holds, if anything. */
    public Optional<StoredImage> heldBy(ImageHolder holder) {
        return catalog.read(transaction -> images.heldBy(transaction, holder));
    }

    public Optional<StoredLayer> layer(Digest diffId) {
        return catalog.read(transaction -> images.layer(transaction, diffId));
    }

    /**
     * Pins what the name means, in the transaction that looks it up, so that it cannot be removed in between.
     *
     * @param usable tells whether the image's files are there; if not, nothing is pinned
     */
    public Optional<PinnedImage> pin(
            ImageReference reference, ImageHolder holder, Predicate<StoredImage> usable, WriteDurability durability) {
        return catalog.write(durability, transaction -> {
            Optional<StoredImage> image = images.named(transaction, reference).filter(usable);
            if (image.isEmpty()) {
                return Optional.empty();
            }
            ForgottenContent forgotten = pin(transaction, holder, image.get().id());
            touch(transaction, reference, image.get().id());
            return Optional.of(new PinnedImage(image.get(), forgotten));
        });
    }

    /** Pins what one holder holds for another too, in one transaction. Empty if the first holds nothing. */
    public Optional<ForgottenContent> share(ImageHolder from, ImageHolder to) {
        return catalog.write(transaction -> {
            Optional<Long> manifest = pinnedBy(transaction, from);
            return manifest.isPresent() ? Optional.of(pin(transaction, to, manifest.get())) : Optional.empty();
        });
    }

    public List<ImageHolder> holders(String kind) {
        return catalog.read(transaction -> transaction.list(
                row -> new ImageHolder(kind, row.getString(1), row.getString(2)),
                "SELECT holder_id, holder_name FROM image_pin WHERE holder_kind = ? ORDER BY holder_id",
                kind));
    }

    /** Takes the holder's pin away, and the image with it if nothing else keeps it. */
    public ForgottenContent unpin(ImageHolder holder) {
        return catalog.writeFromReserve(transaction -> {
            Optional<Long> manifest = pinnedBy(transaction, holder);
            transaction.update(
                    "DELETE FROM image_pin WHERE holder_kind = ? AND holder_id = ?", holder.kind(), holder.id());
            return manifest.isPresent() ? ImageRemovals.drop(transaction, manifest.get()) : ForgottenContent.NOTHING;
        });
    }

    /** Records a layer whose file has just been published. */
    public void layerStored(StoredLayer layer) {
        catalog.write(transaction -> ImageRows.upsertLayer(transaction, layer, images.boot(), now()));
    }

    /** Takes back {@link #layerStored} where no image has the layer. */
    public void forgetLayers(Collection<Digest> diffIds) {
        var _ = catalog.writeFromReserve(transaction -> ImageRemovals.dropLayers(transaction, diffIds));
    }

    /** Records that the layer's file is what it was, in this boot, and its stamp. */
    void layerChecked(StoredLayer layer) {
        catalog.write(transaction -> transaction.update(
                "UPDATE layer SET checked_boot = ?, stamp = ? WHERE diff_id = ? AND erofs_digest = ?",
                images.boot(),
                layer.file().stamp(),
                layer.diffId().toString(),
                layer.file().sha256().toString()));
    }

    /** Records that fsmeta and descriptor are what they were, in this boot, and their stamps. */
    void manifestChecked(Digest manifest, CheckedFile fsmeta, CheckedFile vmdk) {
        catalog.write(transaction -> transaction.update(
                "UPDATE manifest SET checked_boot = ?, fsmeta_stamp = ?, vmdk_stamp = ?"
                        + " WHERE digest = ? AND fsmeta_digest = ? AND vmdk_digest = ?",
                images.boot(),
                fsmeta.stamp(),
                vmdk.stamp(),
                manifest.toString(),
                fsmeta.sha256().toString(),
                vmdk.sha256().toString()));
    }

    /** Forgets that the files of an image are what they were, also for those that share its layers. */
    public void doubt(StoredImage image) {
        catalog.write(
                transaction -> transaction.update("UPDATE manifest SET checked_boot = '' WHERE id = ?", image.id())
                        + transaction.update(
                                "UPDATE layer SET checked_boot = '' WHERE id IN"
                                        + " (SELECT layer_id FROM manifest_layer WHERE manifest_id = ?)",
                                image.id()));
    }

    /** Records an image whose files are complete, what its name means, and who holds it. */
    public RecordedImage persist(ImageReference reference, Optional<ImageHolder> holder, PulledImage image) {
        return catalog.write(transaction -> {
            Optional<StoredImage> known = images.of(transaction, image.manifest());
            if (known.isEmpty() || !sameFiles(known.get(), image)) {
                ImageRows.write(transaction, image, images.boot(), now());
            }
            StoredImage stored = images.of(transaction, image.manifest()).orElseThrow();
            return point(transaction, reference, holder, stored);
        });
    }

    /** Makes a name mean an image that is here, for a holder if one is given; empty if the image is gone. */
    public Optional<RecordedImage> point(ImageReference reference, Optional<ImageHolder> holder, Digest manifest) {
        return catalog.write(transaction -> {
            Optional<StoredImage> image = images.of(transaction, manifest);
            return image.isPresent()
                    ? Optional.of(point(transaction, reference, holder, image.get()))
                    : Optional.<RecordedImage>empty();
        });
    }

    /** Makes a name mean what another one means; empty if that means nothing. */
    public Optional<RecordedImage> tag(ImageReference existing, ImageReference name) {
        return catalog.write(transaction -> {
            Optional<StoredImage> image = images.named(transaction, existing);
            return image.isPresent()
                    ? Optional.of(point(transaction, name, Optional.empty(), image.get()))
                    : Optional.<RecordedImage>empty();
        });
    }

    CatalogDigests knownContent() {
        return catalog.read(transaction -> new CatalogDigests(
                digests(transaction, "SELECT digest FROM manifest"),
                digests(transaction, "SELECT config_digest FROM manifest"),
                digests(transaction, "SELECT diff_id FROM layer")));
    }

    private static Set<Digest> digests(CatalogTransaction transaction, String query) throws SQLException {
        return new HashSet<>(transaction.list(row -> Digest.parse(row.getString(1)), query));
    }

    boolean hasManifest(Digest manifest) {
        return exists("SELECT 1 FROM manifest WHERE digest = ?", manifest);
    }

    boolean hasConfig(Digest config) {
        return exists("SELECT 1 FROM manifest WHERE config_digest = ?", config);
    }

    boolean hasLayer(Digest diffId) {
        return exists("SELECT 1 FROM layer WHERE diff_id = ?", diffId);
    }

    private boolean exists(String query, Digest digest) {
        return catalog.read(transaction -> transaction
                .first(row -> row.getInt(1), query, digest.toString())
                .isPresent());
    }

    private static boolean sameFiles(StoredImage known, PulledImage image) {
        Set<StoredLayer> layers =
                image.layers().stream().map(PulledImage.Layer::stored).collect(Collectors.toSet());
        return known.fsmeta().equals(image.fsmeta())
                && known.vmdk().equals(image.vmdk())
                && new HashSet<>(known.layers()).equals(layers);
    }

    private RecordedImage point(
            CatalogTransaction transaction, ImageReference reference, Optional<ImageHolder> holder, StoredImage image)
            throws SQLException {
        ForgottenContent forgotten =
                holder.isPresent() ? pin(transaction, holder.get(), image.id()) : ForgottenContent.NOTHING;
        if (reference.isDigestAlone()) {
            touch(transaction, reference, image.id());
            return recorded(transaction, reference, image, forgotten);
        }
        Optional<Long> before = transaction.first(
                row -> row.getLong(1), "SELECT manifest_id FROM image_ref WHERE reference = ?", reference.toString());
        if (before.equals(Optional.of(image.id()))) {
            touch(transaction, reference, image.id());
        } else {
            ImageRows.name(transaction, reference, image.id(), now());
            transaction.update(ImageRows.TOUCH_LAYERS, now(), image.id());
        }
        if (before.isPresent()) {
            forgotten = forgotten.and(ImageRemovals.drop(transaction, before.get()));
        }
        return recorded(transaction, reference, image, forgotten);
    }

    private static RecordedImage recorded(
            CatalogTransaction transaction, ImageReference reference, StoredImage image, ForgottenContent forgotten)
            throws SQLException {
        return new RecordedImage(
                image, ImageListing.summary(transaction, reference).orElseThrow(), forgotten);
    }

    /**
     * Two updates, and nothing else where the name means the image already. A use by the digest is one of every name. What was
     * used in the last minute is left as it is: every start comes by here, and asks for no more to be written than it has to.
     */
    private void touch(CatalogTransaction transaction, ImageReference reference, long manifest) throws SQLException {
        long now = now();
        long minute = now - USE_RESOLUTION.toMillis();
        if (reference.isDigestAlone()) {
            transaction.update(
                    "UPDATE image_ref SET updated_at = ? WHERE manifest_id = ? AND updated_at NOT BETWEEN ? AND ?",
                    now,
                    manifest,
                    minute,
                    now);
        } else {
            transaction.update(
                    "UPDATE image_ref SET updated_at = ? WHERE reference = ? AND updated_at NOT BETWEEN ? AND ?",
                    now,
                    reference.toString(),
                    minute,
                    now);
        }
        transaction.update(
                ImageRows.TOUCH_LAYERS + " AND last_used_at NOT BETWEEN ? AND ?", now, manifest, minute, now);
    }

    private static ForgottenContent pin(CatalogTransaction transaction, ImageHolder holder, long manifest)
            throws SQLException {
        Optional<Long> before = pinnedBy(transaction, holder);
        transaction.update("""
                INSERT INTO image_pin (holder_kind, holder_id, holder_name, manifest_id) VALUES (?, ?, ?, ?)
                ON CONFLICT (holder_kind, holder_id)
                DO UPDATE SET holder_name = excluded.holder_name, manifest_id = excluded.manifest_id""", holder.kind(), holder.id(), holder.name(), manifest);
        return before.isPresent() ? ImageRemovals.drop(transaction, before.get()) : ForgottenContent.NOTHING;
    }

    private static Optional<Long> pinnedBy(CatalogTransaction transaction, ImageHolder holder) throws SQLException {
        return transaction.first(
                row -> row.getLong(1),
                "SELECT manifest_id FROM image_pin WHERE holder_kind = ? AND holder_id = ?",
                holder.kind(),
                holder.id());
    }

    private long now() {
        return clock.millis();
    }
}
