package dev.cloche.image;

import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogSchema;
import dev.cloche.catalog.Session;
import dev.cloche.image.StoredImage.StoredLayer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The rows about images. Every method is one transaction. Thread-safe. */
final class ImageCatalog {
    static final CatalogSchema SCHEMA = new CatalogSchema(
            "image",
            "dev/cloche/image/catalog",
            List.of(CatalogSchema.Migration.additive("names, manifests, layers and pins")));

    private static final String STORED = """
            SELECT m.id, m.digest, m.fsmeta_size, m.vmdk_size, m.os, m.architecture, m.variant,
                   c.env, c.cmd, c.entrypoint, c.user, c.working_dir, c.labels, c.stop_signal
            FROM manifest m JOIN config c ON c.manifest_id = m.id
            """;

    private final Catalog catalog;
    private final Clock clock;

    ImageCatalog(Catalog catalog, Clock clock) {
        this.catalog = catalog;
        this.clock = clock;
    }

    /** What a deletion left without a row, and so without a use. */
    record Unused(List<Digest> manifests, List<Digest> configs, List<Digest> layers) {
        static final Unused NOTHING = new Unused(List.of(), List.of(), List.of());
    }

    /** The answer of {@link #pin}. */
    record Pinned(StoredImage image, Unused unused) {}

    Optional<StoredImage> find(ImageReference reference) {
        return catalog.read(session -> stored(session, reference));
    }

    Optional<StoredImage> find(Digest manifest) {
        return catalog.read(session -> stored(session, "WHERE m.digest = ?", manifest.toString()));
    }

    /**
     * Pins what the name means, in the transaction that looks it up, so that it cannot be removed in between.
     *
     * @param usable tells whether the image's files are there; if not, nothing is pinned
     */
    Optional<Pinned> pin(ImageReference reference, ImageHolder holder, Predicate<StoredImage> usable) {
        return catalog.write(session -> {
            Optional<StoredImage> image = stored(session, reference).filter(usable);
            if (image.isEmpty()) {
                return Optional.empty();
            }
            Optional<Long> before = pinnedBy(session, holder);
            session.update(
                    """
                    INSERT INTO image_pin (holder_kind, holder_id, holder_name, manifest_id) VALUES (?, ?, ?, ?)
                    ON CONFLICT (holder_kind, holder_id)
                    DO UPDATE SET holder_name = excluded.holder_name, manifest_id = excluded.manifest_id""", holder.kind(), holder.id(), holder.name(), image.get().id());
            touch(session, reference, image.get().id());
            Unused unused = before.isPresent() ? drop(session, before.get()) : Unused.NOTHING;
            return Optional.of(new Pinned(image.get(), unused));
        });
    }

    /** What the holder holds, if anything. */
    Optional<StoredImage> heldBy(ImageHolder holder) {
        return catalog.read(session -> stored(
                session,
                "JOIN image_pin p ON p.manifest_id = m.id WHERE p.holder_kind = ? AND p.holder_id = ?",
                holder.kind(),
                holder.id()));
    }

    /** Takes the holder's pin away, and the image with it if nothing else keeps it. */
    Unused unpin(ImageHolder holder) {
        return catalog.write(session -> {
            Optional<Long> manifest = pinnedBy(session, holder);
            session.update("DELETE FROM image_pin WHERE holder_kind = ? AND holder_id = ?", holder.kind(), holder.id());
            return manifest.isPresent() ? drop(session, manifest.get()) : Unused.NOTHING;
        });
    }

    /** Records a layer whose file has just been published. */
    void layerStored(StoredLayer layer) {
        catalog.write(session -> ImageRows.upsertLayer(session, layer, now()));
    }

    Optional<StoredLayer> layer(Digest diffId) {
        return catalog.read(session -> session.first(
                ImageCatalog::layerOf, "SELECT diff_id, erofs_size FROM layer WHERE diff_id = ?", diffId.toString()));
    }

    /** Records an image whose files are complete, and what its name means. */
    Unused persist(ImageReference reference, PulledImage image) {
        return catalog.write(session -> {
            Optional<StoredImage> known =
                    stored(session, "WHERE m.digest = ?", image.manifest().toString());
            if (known.isEmpty() || !sameFiles(known.get(), image)) {
                ImageRows.write(session, image, now());
            }
            return point(session, reference, image.manifest());
        });
    }

    /** Makes a name mean an image that is here; false if the image is gone. */
    Optional<Unused> point(ImageReference reference, Digest manifest) {
        return catalog.write(session -> {
            if (stored(session, "WHERE m.digest = ?", manifest.toString()).isEmpty()) {
                return Optional.empty();
            }
            return Optional.of(point(session, reference, manifest));
        });
    }

    List<ImageSummary> list() {
        return catalog.read(session ->
                session.list(ImageCatalog::summary, ImageRows.SUMMARY + " ORDER BY r.created_at DESC, r.rowid DESC"));
    }

    Optional<ImageSummary> summary(ImageReference reference) {
        return catalog.read(session -> session.first(
                ImageCatalog::summary, ImageRows.SUMMARY + " WHERE r.reference = ?", reference.toString()));
    }

    /**
     * Forgets a name, and its image if nothing else keeps it.
     *
     * @throws ImageNotFound if there is no such name
     * @throws ImageInUse if the image is pinned; nothing was changed
     */
    Unused remove(ImageReference reference) {
        return catalog.write(session -> {
            long manifest = session.first(
                            row -> row.getLong(1),
                            "SELECT manifest_id FROM image_ref WHERE reference = ?",
                            reference.toString())
                    .orElseThrow(() -> new ImageNotFound(reference));
            List<ImageHolder> holders = session.list(
                    row -> new ImageHolder(row.getString(1), row.getString(2), row.getString(3)),
                    "SELECT holder_kind, holder_id, holder_name FROM image_pin WHERE manifest_id = ?"
                            + " ORDER BY holder_kind, holder_name",
                    manifest);
            if (!holders.isEmpty()) {
                throw new ImageInUse(reference, holders);
            }
            session.update("DELETE FROM image_ref WHERE reference = ?", reference.toString());
            return drop(session, manifest);
        });
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
        return known.fsmetaBytes() == image.fsmetaBytes()
                && known.vmdkBytes() == image.vmdkBytes()
                && new HashSet<>(known.layers())
                        .equals(image.layers().stream()
                                .map(PulledImage.Layer::stored)
                                .collect(Collectors.toSet()));
    }

    private Unused point(Session session, ImageReference reference, Digest manifest) throws SQLException {
        Optional<Long> before = session.first(
                row -> row.getLong(1), "SELECT manifest_id FROM image_ref WHERE reference = ?", reference.toString());
        long now = now();
        session.update("""
                INSERT INTO image_ref (reference, manifest_id, created_at, updated_at)
                SELECT ?, id, ?, ? FROM manifest WHERE digest = ?
                ON CONFLICT (reference)
                DO UPDATE SET manifest_id = excluded.manifest_id, updated_at = excluded.updated_at""", reference.toString(), now, now, manifest.toString());
        session.update(ImageRows.TOUCH_LAYERS_BY_DIGEST, now, manifest.toString());
        return before.isPresent() ? drop(session, before.get()) : Unused.NOTHING;
    }

    private void touch(Session session, ImageReference reference, long manifest) throws SQLException {
        long now = now();
        session.update("UPDATE image_ref SET updated_at = ? WHERE reference = ?", now, reference.toString());
        session.update(ImageRows.TOUCH_LAYERS, now, manifest);
    }

    private static Optional<Long> pinnedBy(Session session, ImageHolder holder) throws SQLException {
        return session.first(
                row -> row.getLong(1),
                "SELECT manifest_id FROM image_pin WHERE holder_kind = ? AND holder_id = ?",
                holder.kind(),
                holder.id());
    }

    /** Deletes a manifest that no name and no pin keeps, and those of its layers that no other manifest has. */
    private static Unused drop(Session session, long manifest) throws SQLException {
        Optional<List<Digest>> digests = session.first(
                row -> List.of(Digest.parse(row.getString(1)), Digest.parse(row.getString(2))), """
                SELECT digest, config_digest FROM manifest WHERE id = ?
                AND NOT EXISTS (SELECT 1 FROM image_ref WHERE manifest_id = manifest.id)
                AND NOT EXISTS (SELECT 1 FROM image_pin WHERE manifest_id = manifest.id)""", manifest);
        if (digests.isEmpty()) {
            return Unused.NOTHING;
        }
        List<StoredLayer> layers = layers(session, manifest);
        session.update("DELETE FROM manifest WHERE id = ?", manifest);
        List<Digest> unused = new ArrayList<>();
        for (StoredLayer layer : layers) {
            int deleted = session.update(
                    "DELETE FROM layer WHERE diff_id = ?"
                            + " AND NOT EXISTS (SELECT 1 FROM manifest_layer WHERE layer_id = layer.id)",
                    layer.diffId().toString());
            if (deleted > 0) {
                unused.add(layer.diffId());
            }
        }
        return new Unused(
                List.of(digests.get().getFirst()), List.of(digests.get().getLast()), unused);
    }

    private static Optional<StoredImage> stored(Session session, ImageReference reference) throws SQLException {
        return stored(session, "JOIN image_ref r ON r.manifest_id = m.id WHERE r.reference = ?", reference.toString());
    }

    private static Optional<StoredImage> stored(Session session, String where, Object... parameters)
            throws SQLException {
        Optional<StoredImage> image = session.first(ImageCatalog::imageOf, STORED + where, parameters);
        if (image.isEmpty()) {
            return image;
        }
        StoredImage bare = image.get();
        return Optional.of(new StoredImage(
                bare.id(),
                bare.manifest(),
                bare.config(),
                bare.fsmetaBytes(),
                bare.vmdkBytes(),
                layers(session, bare.id())));
    }

    private static List<StoredLayer> layers(Session session, long manifest) throws SQLException {
        return session.list(ImageCatalog::layerOf, """
                SELECT DISTINCT l.diff_id, l.erofs_size FROM manifest_layer ml JOIN layer l ON l.id = ml.layer_id
                WHERE ml.manifest_id = ?""", manifest);
    }

    private static StoredLayer layerOf(ResultSet row) throws SQLException {
        return new StoredLayer(Digest.parse(row.getString(1)), row.getLong(2));
    }

    private static StoredImage imageOf(ResultSet row) throws SQLException {
        ImageConfig config = new ImageConfig(
                Json.readList(row.getString(8)),
                Json.readList(row.getString(9)),
                Json.readList(row.getString(10)),
                row.getString(11),
                row.getString(12),
                Json.readMap(row.getString(13)),
                row.getString(14),
                new Platform(row.getString(5), row.getString(6), row.getString(7)));
        return new StoredImage(
                row.getLong(1), Digest.parse(row.getString(2)), config, row.getLong(3), row.getLong(4), List.of());
    }

    private static ImageSummary summary(ResultSet row) throws SQLException {
        return new ImageSummary(
                ImageReference.parse(row.getString(1)),
                Digest.parse(row.getString(2)),
                row.getLong(3),
                new Platform(row.getString(4), row.getString(5), row.getString(6)),
                row.getInt(7),
                Instant.ofEpochMilli(row.getLong(8)),
                Instant.ofEpochMilli(row.getLong(9)));
    }

    private long now() {
        return clock.millis();
    }
}
