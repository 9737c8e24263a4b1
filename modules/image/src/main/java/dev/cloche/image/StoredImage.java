package dev.cloche.image;

import java.util.List;

/**
 * What the catalog knows of an image, as much as a start needs.
 *
 * @param id of its manifest's row
 * @param layers its distinct layers, in no order
 */
record StoredImage(
        long id, Digest manifest, ImageConfig config, CheckedFile fsmeta, CheckedFile vmdk, List<StoredLayer> layers) {
    StoredImage {
        layers = List.copyOf(layers);
    }

    /** One layer, whichever images have it. */
    record StoredLayer(Digest diffId, CheckedFile file) {}
}
