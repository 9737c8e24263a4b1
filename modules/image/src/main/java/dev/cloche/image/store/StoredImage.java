package dev.cloche.image.store;

import dev.cloche.image.Digest;
import dev.cloche.image.ImageConfig;
import java.util.List;

/**
 * Says what the catalog knows of an image, as much as a start needs.
 *
 * @param id of its manifest's row
 * @param layers its distinct layers, in no order
 */
public record StoredImage(
        long id, Digest manifest, ImageConfig config, CheckedFile fsmeta, CheckedFile vmdk, List<StoredLayer> layers) {
    public StoredImage {
        layers = List.copyOf(layers);
    }

    /** Describes one layer, which several images may have. */
    public record StoredLayer(Digest diffId, CheckedFile file) {}
}
