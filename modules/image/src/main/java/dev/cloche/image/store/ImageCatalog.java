package dev.cloche.image.store;

import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogSchema;
import dev.cloche.catalog.CatalogSchema.Migration;
import dev.cloche.catalog.Session;
import dev.cloche.image.Digest;
import dev.cloche.image.ImageDetails;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageNotFound;
import dev.cloche.image.ImageReference;
import dev.cloche.image.ImageSummary;
import dev.cloche.image.LocalImage;
import dev.cloche.image.store.StoredImage.StoredLayer;
import java.sql.SQLException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The rows about images: looking up, recording and pinning. Every method is one transaction. Thread-safe. */
public final class ImageCatalog {
    public static final CatalogSchema SCHEMA = new CatalogSchema(
            "image",
            "META-INF/cloche/migrations/image",
            List.of(
                    Migration.additive("images", "names, manifests, layers and pins"),
                    Migration.additive("file_digests", "digests of the cache's files"),
                    Migration.additive("file_stamps", "stamps of the cache's files")));

    private final Catalog catalog;
    private final Clock clock;
    private final StoredImages images;

    /** @param boot this boot of the host */
    public ImageCatalog(Catalog catalog, Clock clock, String boot) {
        this.catalog = catalog;
        this.clock = clock;
        this.images = new StoredImages(boot);
    }

    public Optional<StoredImage> find(ImageReference reference) {
        return catalog.read(session -> images.named(session, reference));
    }

    public Optional<StoredImage> find(Digest manifest) {
        return catalog.read(session -> images.of(session, manifest));
    }

    List<StoredImage> all() {
        return catalog.read(images::all);
    }

    /** Returns what the holder holds, if anything. */
    public Optional<StoredImage> heldBy(ImageHolder holder) {
        return catalog.read(session -> images.heldBy(session, holder));
    }

    public Optional<StoredLayer> layer(Digest diffId) {
        return catalog.read(session -> images.layer(session, diffId));
    }

    /**
     * Pins what the name means, in the transaction that looks it up, so that it cannot be removed in between.
     *
     * @param usable tells whether the image's files are there; if not, nothing is pinned
     */
    public Optional<RecordedImage> pin(ImageReference reference, ImageHolder holder, Predicate<StoredImage> usable) {
        return catalog.write(session -> {
            Optional<StoredImage> image = images.named(session, reference).filter(usable);
            if (image.isEmpty()) {
                return Optional.empty();
            }
            ForgottenContent forgotten = pin(session, holder, image.get().id());
            touch(session, reference, image.get().id());
            return Optional.of(recorded(session, reference, image.get(), forgotten));
        });
    }

    /** Pins what one holder holds for another too, in one transaction. Empty if the first holds nothing. */
    public Optional<ForgottenContent> share(ImageHolder from, ImageHolder to) {
        return catalog.write(session -> {
            Optional<Long> manifest = pinnedBy(session, from);
            return manifest.isPresent() ? Optional.of(pin(session, to, manifest.get())) : Optional.empty();
        });
    }

    public List<ImageHolder> holders(String kind) {
        return catalog.read(session -> session.list(
                row -> new ImageHolder(kind, row.getString(1), row.getString(2)),
                "SELECT holder_id, holder_name FROM image_pin WHERE holder_kind = ? ORDER BY holder_id",
                kind));
    }

    /** Takes the holder's pin away, and the image with it if nothing else keeps it. */
    public ForgottenContent unpin(ImageHolder holder) {
        return catalog.writeFromReserve(session -> {
            Optional<Long> manifest = pinnedBy(session, holder);
            session.update("DELETE FROM image_pin WHERE holder_kind = ? AND holder_id = ?", holder.kind(), holder.id());
            return manifest.isPresent() ? ImageRemovals.drop(session, manifest.get()) : ForgottenContent.NOTHING;
        });
    }

    /** Records a layer whose file has just been published. */
    public void layerStored(StoredLayer layer) {
        catalog.write(session -> ImageRows.upsertLayer(session, layer, images.boot(), now()));
    }

    /** Takes back {@link #layerStored} where no image has the layer. */
    public void forgetLayers(Collection<Digest> diffIds) {
        var _ = catalog.writeFromReserve(session -> ImageRemovals.dropLayers(session, diffIds));
    }

    /** Records that the layer's file is what it was, in this boot, and its stamp. */
    void layerChecked(StoredLayer layer) {
        catalog.write(session -> session.update(
                "UPDATE layer SET checked_boot = ?, stamp = ? WHERE diff_id = ? AND erofs_digest = ?",
                images.boot(),
                layer.file().stamp(),
                layer.diffId().toString(),
                layer.file().sha256().toString()));
    }

    /** Records that fsmeta and descriptor are what they were, in this boot, and their stamps. */
    void manifestChecked(Digest manifest, CheckedFile fsmeta, CheckedFile vmdk) {
        catalog.write(session -> session.update(
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
        catalog.write(session -> session.update("UPDATE manifest SET checked_boot = '' WHERE id = ?", image.id())
                + session.update(
                        "UPDATE layer SET checked_boot = '' WHERE id IN"
                                + " (SELECT layer_id FROM manifest_layer WHERE manifest_id = ?)",
                        image.id()));
    }

    /** Records an image whose files are complete, what its name means, and who holds it. */
    public RecordedImage persist(ImageReference reference, Optional<ImageHolder> holder, PulledImage image) {
        return catalog.write(session -> {
            Optional<StoredImage> known = images.of(session, image.manifest());
            if (known.isEmpty() || !sameFiles(known.get(), image)) {
                ImageRows.write(session, image, images.boot(), now());
            }
            StoredImage stored = images.of(session, image.manifest()).orElseThrow();
            return point(session, reference, holder, stored);
        });
    }

    /** Makes a name mean an image that is here, for a holder if one is given; empty if the image is gone. */
    public Optional<RecordedImage> point(ImageReference reference, Optional<ImageHolder> holder, Digest manifest) {
        return catalog.write(session -> {
            Optional<StoredImage> image = images.of(session, manifest);
            return image.isPresent()
                    ? Optional.of(point(session, reference, holder, image.get()))
                    : Optional.<RecordedImage>empty();
        });
    }

    /** Makes a name mean what another one means; empty if that means nothing. */
    public Optional<RecordedImage> tag(ImageReference existing, ImageReference name) {
        return catalog.write(session -> {
            Optional<StoredImage> image = images.named(session, existing);
            return image.isPresent()
                    ? Optional.of(point(session, name, Optional.empty(), image.get()))
                    : Optional.<RecordedImage>empty();
        });
    }

    public List<ImageSummary> list() {
        return catalog.read(ImageCatalog::list);
    }

    private static List<ImageSummary> list(Session session) throws SQLException {
        return session.list(ImageRows::summary, ImageRows.SUMMARY + " ORDER BY r.created_at DESC, r.rowid DESC");
    }

    /** Returns every name, the newest first, then what is held without one; each with those who hold it. */
    public List<LocalImage> listed() {
        return catalog.read(session -> {
            List<ImageSummary> all = new ArrayList<>(list(session));
            all.addAll(session.list(ImageRows::summary, ImageRows.SUMMARY_BY_DIGEST + """
                     WHERE NOT EXISTS (SELECT 1 FROM image_ref WHERE manifest_id = m.id)
                    AND EXISTS (SELECT 1 FROM image_pin WHERE manifest_id = m.id)
                    ORDER BY m.created_at DESC, m.id DESC"""));
            Map<Digest, List<ImageHolder>> holders = ImageRemovals.holders(session);
            return all.stream()
                    .map(image -> new LocalImage(image, holders.getOrDefault(image.manifest(), List.of())))
                    .toList();
        });
    }

    /** Who holds the image with this manifest. */
    public List<ImageHolder> holdersOf(Digest manifest) {
        return catalog.read(session -> ImageRemovals.holders(session).getOrDefault(manifest, List.of()));
    }

    /** Returns every name, for questions about one that is not among them. */
    public List<ImageReference> names() {
        return catalog.read(ImageRows::names);
    }

    /** That a name, or a digest, means nothing here. */
    public ImageNotFound notHere(ImageReference reference) {
        return ImageNotFound.here(reference, names());
    }

    /** Returns what begins with this, the first of them. */
    public List<ImageSummary> beginningWith(String digestPrefix, int most) {
        // 'g' comes after every digit of a digest.
        return catalog.read(session -> session.list(
                ImageRows::summary,
                ImageRows.SUMMARY_BY_DIGEST + " WHERE m.digest >= ? AND m.digest < ? ORDER BY m.digest LIMIT ?",
                digestPrefix,
                digestPrefix + "g",
                most));
    }

    public Optional<ImageSummary> summary(ImageReference reference) {
        return catalog.read(session -> summary(session, reference));
    }

    public Optional<ImageDetails> details(ImageReference reference) {
        return catalog.read(session -> {
            Optional<ImageSummary> summary = summary(session, reference);
            Optional<StoredImage> image = images.named(session, reference);
            if (summary.isEmpty() || image.isEmpty()) {
                return Optional.empty();
            }
            return Optional.of(ImageRows.details(session, summary.get(), image.get()));
        });
    }

    /** Returns every name of a manifest. */
    public List<ImageReference> namesOf(Digest manifest) {
        return catalog.read(session -> session.list(
                row -> ImageReference.parse(row.getString(1)),
                "SELECT r.reference FROM image_ref r JOIN manifest m ON m.id = r.manifest_id WHERE m.digest = ?"
                        + " ORDER BY r.created_at",
                manifest.toString()));
    }

    private static Optional<ImageSummary> summary(Session session, ImageReference reference) throws SQLException {
        return reference.isDigestAlone()
                ? session.first(
                        ImageRows::summary, ImageRows.SUMMARY_BY_DIGEST + " WHERE m.digest = ?", reference.target())
                : session.first(ImageRows::summary, ImageRows.SUMMARY + " WHERE r.reference = ?", reference.toString());
    }

    CatalogDigests knownContent() {
        return catalog.read(session -> new CatalogDigests(
                digests(session, "SELECT digest FROM manifest"),
                digests(session, "SELECT config_digest FROM manifest"),
                digests(session, "SELECT diff_id FROM layer")));
    }

    private static Set<Digest> digests(Session session, String query) throws SQLException {
        return new HashSet<>(session.list(row -> Digest.parse(row.getString(1)), query));
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
        return catalog.read(session ->
                session.first(row -> row.getInt(1), query, digest.toString()).isPresent());
    }

    private static boolean sameFiles(StoredImage known, PulledImage image) {
        Set<StoredLayer> layers =
                image.layers().stream().map(PulledImage.Layer::stored).collect(Collectors.toSet());
        return known.fsmeta().equals(image.fsmeta())
                && known.vmdk().equals(image.vmdk())
                && new HashSet<>(known.layers()).equals(layers);
    }

    private RecordedImage point(
            Session session, ImageReference reference, Optional<ImageHolder> holder, StoredImage image)
            throws SQLException {
        ForgottenContent forgotten =
                holder.isPresent() ? pin(session, holder.get(), image.id()) : ForgottenContent.NOTHING;
        if (reference.isDigestAlone()) {
            touch(session, reference, image.id());
            return recorded(session, reference, image, forgotten);
        }
        Optional<Long> before = session.first(
                row -> row.getLong(1), "SELECT manifest_id FROM image_ref WHERE reference = ?", reference.toString());
        if (before.equals(Optional.of(image.id()))) {
            touch(session, reference, image.id());
        } else {
            ImageRows.name(session, reference, image.id(), now());
            session.update(ImageRows.TOUCH_LAYERS, now(), image.id());
        }
        if (before.isPresent()) {
            forgotten = forgotten.and(ImageRemovals.drop(session, before.get()));
        }
        return recorded(session, reference, image, forgotten);
    }

    private static RecordedImage recorded(
            Session session, ImageReference reference, StoredImage image, ForgottenContent forgotten)
            throws SQLException {
        return new RecordedImage(image, summary(session, reference).orElseThrow(), forgotten);
    }

    /** Two updates, and nothing else where the name means the image already. A use by the digest is one of every name. */
    private void touch(Session session, ImageReference reference, long manifest) throws SQLException {
        long now = now();
        if (reference.isDigestAlone()) {
            session.update("UPDATE image_ref SET updated_at = ? WHERE manifest_id = ?", now, manifest);
        } else {
            session.update("UPDATE image_ref SET updated_at = ? WHERE reference = ?", now, reference.toString());
        }
        session.update(ImageRows.TOUCH_LAYERS, now, manifest);
    }

    private static ForgottenContent pin(Session session, ImageHolder holder, long manifest) throws SQLException {
        Optional<Long> before = pinnedBy(session, holder);
        session.update("""
                INSERT INTO image_pin (holder_kind, holder_id, holder_name, manifest_id) VALUES (?, ?, ?, ?)
                ON CONFLICT (holder_kind, holder_id)
                DO UPDATE SET holder_name = excluded.holder_name, manifest_id = excluded.manifest_id""", holder.kind(), holder.id(), holder.name(), manifest);
        return before.isPresent() ? ImageRemovals.drop(session, before.get()) : ForgottenContent.NOTHING;
    }

    private static Optional<Long> pinnedBy(Session session, ImageHolder holder) throws SQLException {
        return session.first(
                row -> row.getLong(1),
                "SELECT manifest_id FROM image_pin WHERE holder_kind = ? AND holder_id = ?",
                holder.kind(),
                holder.id());
    }

    private long now() {
        return clock.millis();
    }
}
