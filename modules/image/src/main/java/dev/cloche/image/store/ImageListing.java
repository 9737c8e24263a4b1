package dev.cloche.image.store;

import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogTransaction;
import dev.cloche.image.Digest;
import dev.cloche.image.ImageDetails;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageNotFound;
import dev.cloche.image.ImageReference;
import dev.cloche.image.ImageSummary;
import dev.cloche.image.LocalImage;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads what people are shown of images: names, sizes, holders. Every method is one transaction. Thread-safe. */
public final class ImageListing {
    private final Catalog catalog;
    private final StoredImages images;

    ImageListing(Catalog catalog, StoredImages images) {
        this.catalog = catalog;
        this.images = images;
    }

    /** Returns every name, the newest first. */
    public List<ImageSummary> list() {
        return catalog.read(ImageListing::list);
    }

    private static List<ImageSummary> list(CatalogTransaction transaction) throws SQLException {
        return transaction.list(ImageRows::summary, ImageRows.SUMMARY + " ORDER BY r.created_at DESC, r.rowid DESC");
    }

    /** Returns every name, the newest first, then what is held without one; each with those who hold it. */
    public List<LocalImage> listed() {
        return catalog.read(transaction -> {
            List<ImageSummary> all = new ArrayList<>(list(transaction));
            all.addAll(transaction.list(ImageRows::summary, ImageRows.SUMMARY_BY_DIGEST + """
                     WHERE NOT EXISTS (SELECT 1 FROM image_ref WHERE manifest_id = m.id)
                    AND EXISTS (SELECT 1 FROM image_pin WHERE manifest_id = m.id)
                    ORDER BY m.created_at DESC, m.id DESC"""));
            Map<Digest, List<ImageHolder>> holders = ImageRemovals.holders(transaction);
            return all.stream()
                    .map(image -> new LocalImage(image, holders.getOrDefault(image.manifest(), List.of())))
                    .toList();
        });
    }

    /** Returns what holds the image with this manifest. */
    public List<ImageHolder> holdersOf(Digest manifest) {
        return catalog.read(transaction -> ImageRemovals.holders(transaction).getOrDefault(manifest, List.of()));
    }

    /** Returns every name, for questions about one that is not among them. */
    public List<ImageReference> names() {
        return catalog.read(ImageRows::names);
    }

    /** Returns the error that a name, or a digest, means nothing here. */
    public ImageNotFound notHere(ImageReference reference) {
        return ImageNotFound.here(reference, names());
    }

    /** Returns what begins with this, the first of them. */
    public List<ImageSummary> beginningWith(String digestPrefix, int most) {
        // 'g' comes after every digit of a digest.
        return catalog.read(transaction -> transaction.list(
                ImageRows::summary,
                ImageRows.SUMMARY_BY_DIGEST + " WHERE m.digest >= ? AND m.digest < ? ORDER BY m.digest LIMIT ?",
                digestPrefix,
                digestPrefix + "g",
                most));
    }

    public Optional<ImageSummary> summary(ImageReference reference) {
        return catalog.read(transaction -> summary(transaction, reference));
    }

    public Optional<ImageDetails> details(ImageReference reference) {
        return catalog.read(transaction -> {
            Optional<ImageSummary> summary = summary(transaction, reference);
            Optional<StoredImage> image = images.named(transaction, reference);
            if (summary.isEmpty() || image.isEmpty()) {
                return Optional.empty();
            }
            return Optional.of(ImageRows.details(transaction, summary.get(), image.get()));
        });
    }

    /** Returns every name of a manifest. */
    public List<ImageReference> namesOf(Digest manifest) {
        return catalog.read(transaction -> transaction.list(
                row -> ImageReference.parse(row.getString(1)),
                "SELECT r.reference FROM image_ref r JOIN manifest m ON m.id = r.manifest_id WHERE m.digest = ?"
                        + " ORDER BY r.created_at",
                manifest.toString()));
    }

    /** Returns every name of the images that have this layer in this form. */
    public List<ImageReference> namesWith(Digest diffId, Digest blob) {
        return catalog.read(transaction -> transaction.list(
                row -> ImageReference.parse(row.getString(1)), """
                SELECT r.reference FROM layer l
                JOIN manifest_layer ml ON ml.layer_id = l.id AND ml.blob_digest = ?
                JOIN image_ref r ON r.manifest_id = ml.manifest_id
                WHERE l.diff_id = ? GROUP BY r.reference ORDER BY r.created_at""", blob.toString(), diffId.toString()));
    }

    static Optional<ImageSummary> summary(CatalogTransaction transaction, ImageReference reference)
            throws SQLException {
        return reference.isDigestAlone()
                ? transaction.first(
                        ImageRows::summary, ImageRows.SUMMARY_BY_DIGEST + " WHERE m.digest = ?", reference.target())
                : transaction.first(
                        ImageRows::summary, ImageRows.SUMMARY + " WHERE r.reference = ?", reference.toString());
    }
}
