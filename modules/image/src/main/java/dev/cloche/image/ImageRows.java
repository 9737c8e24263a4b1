package dev.cloche.image;

import dev.cloche.catalog.Session;
import dev.cloche.image.StoredImage.StoredLayer;
import java.sql.SQLException;

/** Writes the rows of one image. Stateless. */
final class ImageRows {
    static final String SUMMARY = """
            SELECT r.reference, m.digest, m.total_size, m.os, m.architecture, m.variant, m.layer_count,
                   r.created_at, r.updated_at
            FROM image_ref r JOIN manifest m ON m.id = r.manifest_id""";

    static final String TOUCH_LAYERS = """
            UPDATE layer SET last_used_at = ?
            WHERE id IN (SELECT layer_id FROM manifest_layer WHERE manifest_id = ?)""";

    static final String TOUCH_LAYERS_BY_DIGEST = """
            UPDATE layer SET last_used_at = ?
            WHERE id IN (SELECT ml.layer_id FROM manifest_layer ml JOIN manifest m ON m.id = ml.manifest_id
                         WHERE m.digest = ?)""";

    private ImageRows() {}

    /** Manifest, config, layers and their order; what is there is replaced, but for the times of creation. */
    static void write(Session session, PulledImage image, long now) throws SQLException {
        ImageConfig config = image.config();
        session.update(
                """
                INSERT INTO manifest (digest, media_type, config_digest, os, architecture, variant,
                                      layer_count, total_size, fsmeta_size, vmdk_size, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (digest)
                DO UPDATE SET fsmeta_size = excluded.fsmeta_size, vmdk_size = excluded.vmdk_size""",
                image.manifest().toString(),
                image.mediaType(),
                image.configDigest().toString(),
                config.platform().os(),
                config.platform().architecture(),
                config.platform().variant(),
                image.layers().size(),
                image.totalSize(),
                image.fsmetaBytes(),
                image.vmdkBytes(),
                now);
        long manifest = session.first(
                        row -> row.getLong(1),
                        "SELECT id FROM manifest WHERE digest = ?",
                        image.manifest().toString())
                .orElseThrow();
        writeConfig(session, image, manifest);
        session.update("DELETE FROM manifest_layer WHERE manifest_id = ?", manifest);
        int position = 0;
        for (PulledImage.Layer layer : image.layers()) {
            upsertLayer(session, layer.stored(), now);
            session.update(
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

    static int upsertLayer(Session session, StoredLayer layer, long now) throws SQLException {
        return session.update("""
                INSERT INTO layer (diff_id, erofs_size, created_at, last_used_at) VALUES (?, ?, ?, ?)
                ON CONFLICT (diff_id)
                DO UPDATE SET erofs_size = excluded.erofs_size, last_used_at = excluded.last_used_at""", layer.diffId().toString(), layer.erofsBytes(), now, now);
    }

    private static void writeConfig(Session session, PulledImage image, long manifest) throws SQLException {
        ImageConfig config = image.config();
        session.update(
                """
                INSERT OR REPLACE INTO config (manifest_id, digest, env, cmd, entrypoint, user, working_dir, labels,
                                               stop_signal)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                manifest,
                image.configDigest().toString(),
                Json.write(config.env()),
                Json.write(config.cmd()),
                Json.write(config.entrypoint()),
                config.user(),
                config.workingDir(),
                Json.write(config.labels()),
                config.stopSignal());
    }
}
