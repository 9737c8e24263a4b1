package dev.cloche.image;

import java.util.List;

/**
 * What the catalog knows of an image, as much as a start needs.
 *
 * @param id of its manifest's row
 * @param checked whether fsmeta and descriptor were written or checked in this boot of the host
 * @param layers its distinct layers, in no order
 */
record StoredImage(
        long id,
        Digest manifest,
        ImageConfig config,
        StoredFile fsmeta,
        StoredFile vmdk,
        boolean checked,
        List<StoredLayer> layers) {
    StoredImage {
        layers = List.copyOf(layers);
    }

    /** Whether no file of it could have been torn by an end of the host without a shutdown. */
    boolean allChecked() {
        return checked && layers.stream().allMatch(StoredLayer::checked);
    }

    /** @param checked whether the file was written or checked in this boot of the host */
    record StoredLayer(Digest diffId, StoredFile file, boolean checked) {}
}
