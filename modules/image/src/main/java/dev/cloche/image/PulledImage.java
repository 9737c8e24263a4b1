package dev.cloche.image;

import dev.cloche.image.StoredImage.StoredLayer;
import java.util.List;

/**
 * An image whose files are complete, to be recorded.
 *
 * @param layers from bottom to top, a repeated one as often as it stands there
 */
record PulledImage(
        Digest manifest,
        String mediaType,
        Digest configDigest,
        ImageConfig config,
        List<Layer> layers,
        CheckedFile fsmeta,
        CheckedFile vmdk) {
    PulledImage {
        layers = List.copyOf(layers);
    }

    record Layer(StoredLayer stored, Descriptor blob) {}

    /** Sum of the compressed layers; sizes come from strangers, so it stops at the largest number. */
    long totalSize() {
        long sum = 0;
        for (Layer layer : layers) {
            sum = Long.MAX_VALUE - sum < layer.blob.size() ? Long.MAX_VALUE : sum + layer.blob.size();
        }
        return sum;
    }
}
