package dev.cloche.image.store;

import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.image.Digest;
import dev.cloche.image.ImageConfig;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageReference;
import dev.cloche.image.Platform;
import dev.cloche.image.layer.FileFingerprint;
import dev.cloche.image.manifest.JsonText;
import dev.cloche.image.store.StoredImage.StoredLayer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads what a start needs of an image.
 *
 * @param boot this boot of the host
 */
record StoredImages(String boot) {
    private static final String STORED = """
            SELECT m.id, m.digest, m.fsmeta_size, m.fsmeta_digest, m.vmdk_size, m.vmdk_digest, m.checked_boot,
                   m.os, m.architecture, m.variant,
                   c.env, c.cmd, c.entrypoint, c.user, c.working_dir, c.labels, c.stop_signal,
                   m.fsmeta_stamp, m.vmdk_stamp
            FROM manifest m JOIN config c ON c.manifest_id = m.id
            """;

    private static final String LAYER =
            "SELECT DISTINCT l.diff_id, l.erofs_size, l.erofs_digest, l.checked_boot, l.stamp ";

    Optional<StoredImage> named(CatalogTransaction transaction, ImageReference reference) throws SQLException {
        if (reference.isDigestAlone()) {
            return of(transaction, reference.digest().orElseThrow());
        }
        return first(
                transaction, "JOIN image_ref r ON r.manifest_id = m.id WHERE r.reference = ?", reference.toString());
    }

    Optional<StoredImage> of(CatalogTransaction transaction, Digest manifest) throws SQLException {
        return first(transaction, "WHERE m.digest = ?", manifest.toString());
    }

    Optional<StoredImage> heldBy(CatalogTransaction transaction, ImageHolder holder) throws SQLException {
        return first(
                transaction,
                "JOIN image_pin p ON p.manifest_id = m.id WHERE p.holder_kind = ? AND p.holder_id = ?",
                holder.kind(),
                holder.id());
    }

    List<StoredImage> all(CatalogTransaction transaction) throws SQLException {
        List<StoredImage> bare = transaction.list(this::imageOf, STORED + "ORDER BY m.id");
        List<StoredImage> whole = new ArrayList<>();
        for (StoredImage image : bare) {
            whole.add(withLayers(transaction, image));
        }
        return List.copyOf(whole);
    }

    Optional<StoredLayer> layer(CatalogTransaction transaction, Digest diffId) throws SQLException {
        return transaction.first(this::layerOf, LAYER + "FROM layer l WHERE l.diff_id = ?", diffId.toString());
    }

    /** Distinct layers of a manifest's row. */
    List<StoredLayer> layers(CatalogTransaction transaction, long manifest) throws SQLException {
        return transaction.list(
                this::layerOf,
                LAYER + "FROM manifest_layer ml JOIN layer l ON l.id = ml.layer_id WHERE ml.manifest_id = ?",
                manifest);
    }

    private Optional<StoredImage> first(CatalogTransaction transaction, String where, Object... parameters)
            throws SQLException {
        Optional<StoredImage> image = transaction.first(this::imageOf, STORED + where, parameters);
        return image.isPresent() ? Optional.of(withLayers(transaction, image.get())) : image;
    }

    private StoredImage withLayers(CatalogTransaction transaction, StoredImage bare) throws SQLException {
        return new StoredImage(
                bare.id(), bare.manifest(), bare.config(), bare.fsmeta(), bare.vmdk(), layers(transaction, bare.id()));
    }

    private StoredLayer layerOf(ResultSet row) throws SQLException {
        return new StoredLayer(
                Digest.parse(row.getString(1)),
                file(row.getLong(2), row.getString(3), row.getString(4), row.getString(5)));
    }

    /** A stamp of another boot says nothing: what was written then may not have reached the disk. */
    private CheckedFile file(long bytes, String sha256, String checkedBoot, String stamp) {
        return new CheckedFile(
                new FileFingerprint(bytes, Digest.parse(sha256)),
                checkedBoot.equals(boot) ? stamp : CheckedFile.UNCHECKED);
    }

    private StoredImage imageOf(ResultSet row) throws SQLException {
        ImageConfig config = new ImageConfig(
                JsonText.readList(row.getString(11)),
                JsonText.readList(row.getString(12)),
                JsonText.readList(row.getString(13)),
                row.getString(14),
                row.getString(15),
                JsonText.readMap(row.getString(16)),
                row.getString(17),
                new Platform(row.getString(8), row.getString(9), row.getString(10)));
        return new StoredImage(
                row.getLong(1),
                Digest.parse(row.getString(2)),
                config,
                file(row.getLong(3), row.getString(4), row.getString(7), row.getString(18)),
                file(row.getLong(5), row.getString(6), row.getString(7), row.getString(19)),
                List.of());
    }
}
