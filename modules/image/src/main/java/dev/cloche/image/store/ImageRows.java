package dev.cloche.image.store;

import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.image.Digest;
import dev.cloche.image.ImageConfig;
import dev.cloche.image.ImageDetails;
import dev.cloche.image.ImageReference;
import dev.cloche.image.ImageSummary;
import dev.cloche.image.Platform;
import dev.cloche.image.manifest.JsonText;
import dev.cloche.image.store.StoredImage.StoredLayer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/** Writes and reads the rows of one image. Stateless. */
final class ImageRows {
    static final String SUMMARY = """
            SELECT r.reference, m.digest, m.total_size, m.os, m.architecture, m.variant, m.layer_count,
                   r.created_at, r.updated_at
            FROM image_ref r JOIN manifest m ON m.id = r.manifest_id""";

    /** The same of an image by its digest: it was used when its layers were. */
    static final String SUMMARY_BY_DIGEST = """
            SELECT m.digest, m.digest, m.total_size, m.os, m.architecture, m.variant, m.layer_count, m.created_at,
                   COALESCE((SELECT MAX(l.last_used_at) FROM manifest_layer ml JOIN layer l ON l.id = ml.layer_id
                             WHERE ml.manifest_id = m.id), m.created_at)
            FROM manifest m""";

    static final String TOUCH_LAYERS = """
            UPDATE layer SET last_used_at = ?
            WHERE id IN (SELECT layer_id FROM manifest_layer WHERE manifest_id = ?)""";

    private static final int MOST_NAMES = 1000;

    private ImageRows() {}

    /** Manifest, config, layers and their order; what is there is replaced, but for the times of creation. */
    static void write(CatalogTransaction transaction, PulledImage image, String boot, long now) throws SQLException {
        ImageConfig config = image.config();
        transaction.update(
                """
                INSERT INTO manifest (digest, media_type, config_digest, os, architecture, variant,
                                      layer_count, total_size, fsmeta_size, fsmeta_digest, fsmeta_stamp,
                                      vmdk_size, vmdk_digest, vmdk_stamp, checked_boot, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (digest)
                DO UPDATE SET fsmeta_size = excluded.fsmeta_size, fsmeta_digest = excluded.fsmeta_digest,
                              fsmeta_stamp = excluded.fsmeta_stamp, vmdk_size = excluded.vmdk_size,
                              vmdk_digest = excluded.vmdk_digest, vmdk_stamp = excluded.vmdk_stamp,
                              checked_boot = excluded.checked_boot""",
                image.manifest().toString(),
                image.mediaType(),
                image.configDigest().toString(),
                config.platform().os(),
                config.platform().architecture(),
                config.platform().variant(),
                image.layers().size(),
                image.totalSize(),
                image.fsmeta().bytes(),
                image.fsmeta().sha256().toString(),
                image.fsmeta().stamp(),
                image.vmdk().bytes(),
                image.vmdk().sha256().toString(),
                image.vmdk().stamp(),
                boot,
                now);
        long manifest = transaction
                .first(
                        row -> row.getLong(1),
                        "SELECT id FROM manifest WHERE digest = ?",
                        image.manifest().toString())
                .orElseThrow();
        writeConfig(transaction, image, manifest);
        transaction.update("DELETE FROM manifest_layer WHERE manifest_id = ?", manifest);
        int position = 0;
        for (PulledImage.Layer layer : image.layers()) {
            upsertLayer(transaction, layer.stored(), boot, now);
            transaction.update(
                    """
                    INSERT INTO manifest_layer (manifest_id, layer_id, position, blob_digest, media_type,
                                                compressed_size)
                    SELECT ?, id, ?, ?, ?, ? FROM layer WHERE diff_id = ?""",
                    manifest,
                    position++,
                    layer.blob().digest().toString(),
                    layer.blob().mediaType(),
                    layer.blob().size(),
                    layer.stored().diffId().toString());
        }
    }

    static int upsertLayer(CatalogTransaction transaction, StoredLayer layer, String boot, long now)
            throws SQLException {
        return transaction.update(
                """
                INSERT INTO layer (diff_id, erofs_size, erofs_digest, stamp, checked_boot, created_at, last_used_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (diff_id)
                DO UPDATE SET erofs_size = excluded.erofs_size, erofs_digest = excluded.erofs_digest,
                              stamp = excluded.stamp, checked_boot = excluded.checked_boot, last_used_at = excluded.last_used_at""",
                layer.diffId().toString(),
                layer.file().bytes(),
                layer.file().sha256().toString(),
                layer.file().stamp(),
                boot,
                now,
                now);
    }

    /** Returns the names of most use, in their order. */
    static List<ImageReference> names(CatalogTransaction transaction) throws SQLException {
        return transaction.list(
                row -> ImageReference.parse(row.getString(1)),
                "SELECT reference FROM image_ref ORDER BY updated_at DESC, reference LIMIT ?",
                MOST_NAMES);
    }

    /** Makes a name mean a manifest; the time of its creation stays if it meant another one. */
    static void name(CatalogTransaction transaction, ImageReference reference, long manifest, long now)
            throws SQLException {
        transaction.update("""
                INSERT INTO image_ref (reference, manifest_id, created_at, updated_at) VALUES (?, ?, ?, ?)
                ON CONFLICT (reference)
                DO UPDATE SET manifest_id = excluded.manifest_id, updated_at = excluded.updated_at""", reference.toString(), manifest, now, now);
    }

    static ImageSummary summary(ResultSet row) throws SQLException {
        return new ImageSummary(
                ImageReference.parse(row.getString(1)),
                Digest.parse(row.getString(2)),
                row.getLong(3),
                new Platform(row.getString(4), row.getString(5), row.getString(6)),
                row.getInt(7),
                Instant.ofEpochMilli(row.getLong(8)),
                Instant.ofEpochMilli(row.getLong(9)));
    }

    static ImageDetails details(CatalogTransaction transaction, ImageSummary summary, StoredImage image)
            throws SQLException {
        List<String> head = transaction
                .first(
                        row -> List.of(row.getString(1), row.getString(2)),
                        "SELECT media_type, config_digest FROM manifest WHERE id = ?",
                        image.id())
                .orElseThrow();
        List<ImageDetails.Layer> layers = transaction.list(
                row -> new ImageDetails.Layer(
                        Digest.parse(row.getString(1)),
                        Digest.parse(row.getString(2)),
                        row.getString(3),
                        row.getLong(4),
                        row.getLong(5)),
                """
                SELECT l.diff_id, ml.blob_digest, ml.media_type, ml.compressed_size, l.erofs_size
                FROM manifest_layer ml JOIN layer l ON l.id = ml.layer_id
                WHERE ml.manifest_id = ? ORDER BY ml.position""",
                image.id());
        return new ImageDetails(
                summary,
                head.getFirst(),
                Digest.parse(head.getLast()),
                image.config(),
                layers,
                List.of(),
                ImageRemovals.holders(transaction, image.id()));
    }

    private static void writeConfig(CatalogTransaction transaction, PulledImage image, long manifest)
            throws SQLException {
        ImageConfig config = image.config();
        transaction.update(
                """
                INSERT OR REPLACE INTO config (manifest_id, digest, env, cmd, entrypoint, user, working_dir, labels,
                                               stop_signal)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                manifest,
                image.configDigest().toString(),
                JsonText.write(config.env()),
                JsonText.write(config.cmd()),
                JsonText.write(config.entrypoint()),
                config.user(),
                config.workingDir(),
                JsonText.write(config.labels()),
                config.stopSignal());
    }
}
