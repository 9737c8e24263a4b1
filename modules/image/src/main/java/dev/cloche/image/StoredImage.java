package dev.cloche.image;

import java.util.List;

/**
 * What the catalog knows of an image, as much as a start needs.
 *
 * @param id of its manifest's row
 * @param layers its distinct layers, in no order
 */
record StoredImage(
        long id, Digest manifest, ImageConfig config, long fsmetaBytes, long vmdkBytes, List<StoredLayer> layers) {
    StoredImage {
        layers = List.copyOf(layers);
    }

    record StoredLayer(Digest diffId, long erofsBytes) {}
}
