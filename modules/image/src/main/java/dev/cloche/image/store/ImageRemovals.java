package dev.cloche.image.store;

import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.image.Digest;
import dev.cloche.image.ImageHasNames;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageInUse;
import dev.cloche.image.ImageNotFound;
import dev.cloche.image.ImageReference;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The deletion of rows about images. Files are deleted after the transaction that took their rows, never before: a crash
 * in between leaves files without rows, which are collected, and no rows without files. Every method is one transaction.
 */
public final class ImageRemovals {
    private final Catalog catalog;

    public ImageRemovals(Catalog catalog) {
        this.catalog = catalog;
    }

    /** Runs the methods below that take a transaction, and takes back what they did. */
    <T> T rehearse(Catalog.Work<T, IOException> work) throws IOException {
        return catalog.rehearse(work);
    }

    /**
     * Forgets a name, and its image if nothing else keeps it. A digest alone means the only name of its image, and with force
     * all of them.
     *
     * @param force whether it goes although the image is pinned; the image then goes with its last pin
     * @throws ImageNotFound if there is no such name
     * @throws ImageInUse if the image is pinned; nothing was changed
     * @throws ImageHasNames if it is meant by its digest and has several; nothing was changed
     */
    public ForgottenContent remove(ImageReference reference, boolean force) {
        return catalog.writeFromReserve(transaction -> {
            Optional<Long> manifest = manifest(transaction, reference);
            if (manifest.isEmpty()) {
                throw ImageNotFound.here(reference, ImageRows.names(transaction));
            }
            List<ImageReference> names =
                    reference.isDigestAlone() ? names(transaction, manifest.get()) : List.of(reference);
            if (names.size() > 1 && !force) {
                throw new ImageHasNames(reference, names);
            }
            List<ImageHolder> holders = holders(transaction, manifest.get());
            if (!holders.isEmpty() && !force) {
                throw new ImageInUse(reference, holders);
            }
            for (ImageReference name : names) {
                transaction.update("DELETE FROM image_ref WHERE reference = ?", name.toString());
            }
            return drop(transaction, manifest.get());
        });
    }

    private static Optional<Long> manifest(CatalogTransaction transaction, ImageReference reference)
            throws SQLException {
        return transaction.first(
                row -> row.getLong(1),
                reference.isDigestAlone()
                        ? "SELECT id FROM manifest WHERE digest = ?"
                        : "SELECT manifest_id FROM image_ref WHERE reference = ?",
                reference.toString());
    }

    private static List<ImageReference> names(CatalogTransaction transaction, long manifest) throws SQLException {
        return transaction.list(
                row -> ImageReference.parse(row.getString(1)),
                "SELECT reference FROM image_ref WHERE manifest_id = ? ORDER BY reference",
                manifest);
    }

    /**
     * Takes what was used in the future, by a clock that has been set back since, as used now: nothing else would ever let it
     * grow old.
     */
    void forgetTheFuture(Instant now) {
        catalog.writeFromReserve(transaction -> forgetTheFuture(transaction, now));
    }

    static int forgetTheFuture(CatalogTransaction transaction, Instant now) throws SQLException {
        return transaction.update(
                "UPDATE image_ref SET updated_at = ? WHERE updated_at > ?", now.toEpochMilli(), now.toEpochMilli());
    }

    /** Returns the names of images that are not pinned and were not used since then, the least recently used first. */
    List<ImageReference> unpinned(Instant unusedSince) {
        return catalog.read(transaction -> unpinned(transaction, unusedSince));
    }

    static List<ImageReference> unpinned(CatalogTransaction transaction, Instant unusedSince) throws SQLException {
        return transaction.list(row -> ImageReference.parse(row.getString(1)), """
                SELECT r.reference FROM image_ref r
                WHERE r.updated_at <= ?
                AND NOT EXISTS (SELECT 1 FROM image_pin p WHERE p.manifest_id = r.manifest_id)
                ORDER BY r.updated_at, r.rowid""", unusedSince.toEpochMilli());
    }

    /** Forgets a name unless its image has been pinned or used since; empty if it was left alone. */
    Optional<ForgottenContent> removeUnpinned(ImageReference reference, Instant unusedSince) {
        return catalog.writeFromReserve(transaction -> removeUnpinned(transaction, reference, unusedSince));
    }

    static Optional<ForgottenContent> removeUnpinned(
            CatalogTransaction transaction, ImageReference reference, Instant unusedSince) throws SQLException {
        Optional<Long> manifest =
                transaction.first(row -> row.getLong(1), """
                SELECT r.manifest_id FROM image_ref r WHERE r.reference = ? AND r.updated_at <= ?
                AND NOT EXISTS (SELECT 1 FROM image_pin p WHERE p.manifest_id = r.manifest_id)""", reference.toString(), unusedSince.toEpochMilli());
        return manifest.isPresent() ? Optional.of(forget(transaction, reference, manifest.get())) : Optional.empty();
    }

    /** Forgets manifests without a name and a pin, and layers without a manifest, as killed pulls leave them. */
    ForgottenContent removeUnreferenced() {
        return catalog.writeFromReserve(ImageRemovals::removeUnreferenced);
    }

    static ForgottenContent removeUnreferenced(CatalogTransaction transaction) throws SQLException {
        ForgottenContent forgotten = ForgottenContent.NOTHING;
        for (long manifest : transaction.list(row -> row.getLong(1), """
                SELECT id FROM manifest m
                WHERE NOT EXISTS (SELECT 1 FROM image_ref WHERE manifest_id = m.id)
                AND NOT EXISTS (SELECT 1 FROM image_pin WHERE manifest_id = m.id)""")) {
            forgotten = forgotten.and(drop(transaction, manifest));
        }
        List<Digest> layers = transaction.list(
                row -> Digest.parse(row.getString(1)),
                "SELECT diff_id FROM layer l"
                        + " WHERE NOT EXISTS (SELECT 1 FROM manifest_layer WHERE layer_id = l.id)");
        return forgotten.and(ForgottenContent.ofLayers(dropLayers(transaction, layers)));
    }

    /** By what they hold. */
    static Map<Digest, List<ImageHolder>> holders(CatalogTransaction transaction) throws SQLException {
        Map<Digest, List<ImageHolder>> holders = new HashMap<>();
        transaction
                .list(
                        row -> Map.entry(
                                Digest.parse(row.getString(1)),
                                new ImageHolder(row.getString(2), row.getString(3), row.getString(4))),
                        "SELECT m.digest, p.holder_kind, p.holder_id, p.holder_name"
                                + " FROM image_pin p JOIN manifest m ON m.id = p.manifest_id"
                                + " ORDER BY p.holder_kind, p.holder_name")
                .forEach(pin -> holders.computeIfAbsent(pin.getKey(), _ -> new ArrayList<>())
                        .add(pin.getValue()));
        return holders;
    }

    static List<ImageHolder> holders(CatalogTransaction transaction, long manifest) throws SQLException {
        return transaction.list(
                row -> new ImageHolder(row.getString(1), row.getString(2), row.getString(3)),
                "SELECT holder_kind, holder_id, holder_name FROM image_pin WHERE manifest_id = ?"
                        + " ORDER BY holder_kind, holder_name",
                manifest);
    }

    private static ForgottenContent forget(CatalogTransaction transaction, ImageReference reference, long manifest)
            throws SQLException {
        transaction.update("DELETE FROM image_ref WHERE reference = ?", reference.toString());
        return drop(transaction, manifest);
    }

    /** Deletes a manifest that no name and no pin keeps, and those of its layers that no other manifest has. */
    static ForgottenContent drop(CatalogTransaction transaction, long manifest) throws SQLException {
        Optional<List<Digest>> digests = transaction.first(
                row -> List.of(Digest.parse(row.getString(1)), Digest.parse(row.getString(2))), """
                SELECT digest, config_digest FROM manifest WHERE id = ?
                AND NOT EXISTS (SELECT 1 FROM image_ref WHERE manifest_id = manifest.id)
                AND NOT EXISTS (SELECT 1 FROM image_pin WHERE manifest_id = manifest.id)""", manifest);
        if (digests.isEmpty()) {
            return ForgottenContent.NOTHING;
        }
        List<Digest> layers = transaction.list(
                row -> Digest.parse(row.getString(1)),
                "SELECT DISTINCT l.diff_id FROM manifest_layer ml JOIN layer l ON l.id = ml.layer_id"
                        + " WHERE ml.manifest_id = ?",
                manifest);
        transaction.update("DELETE FROM manifest WHERE id = ?", manifest);
        Digest config = digests.get().getLast();
        boolean configIsUsed = transaction
                .first(row -> row.getInt(1), "SELECT 1 FROM manifest WHERE config_digest = ?", config.toString())
                .isPresent();
        return new ForgottenContent(
                List.of(digests.get().getFirst()),
                configIsUsed ? List.of() : List.of(config),
                dropLayers(transaction, layers));
    }

    /** Deletes those of the layers that no manifest has. */
    static List<Digest> dropLayers(CatalogTransaction transaction, Collection<Digest> layers) throws SQLException {
        List<Digest> dropped = new ArrayList<>();
        for (Digest layer : layers) {
            int deleted = transaction.update(
                    "DELETE FROM layer WHERE diff_id = ?"
                            + " AND NOT EXISTS (SELECT 1 FROM manifest_layer WHERE layer_id = layer.id)",
                    layer.toString());
            if (deleted > 0) {
                dropped.add(layer);
            }
        }
        return dropped;
    }
}
