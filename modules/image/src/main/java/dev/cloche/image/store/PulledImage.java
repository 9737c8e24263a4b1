package dev.cloche.image.store;

import dev.cloche.image.Digest;
import dev.cloche.image.ImageConfig;
import dev.cloche.image.manifest.Descriptor;
import dev.cloche.image.store.StoredImage.StoredLayer;
import java.util.List;

/**
 * Describes an image whose files are complete, to be recorded.
 *
 * @param layers from bottom to top, a repeated one as often as it stands there
 */
public record PulledImage(
        Digest manifest,
        String mediaType,
        Digest configDigest,
        ImageConfig config,
        List<Layer> layers,
        CheckedFile fsmeta,
        CheckedFile vmdk) {
    public PulledImage {
        layers = List.copyOf(layers);
    }

    public record Layer(StoredLayer stored, Descriptor blob) {}

    /** Sum of the compressed layers; sizes come from strangers, so it stops at the largest number. */
    long totalSize() {
        long sum = 0;
        for (Layer layer : layers) {
            sum = Long.MAX_VALUE - sum < layer.blob.size() ? Long.MAX_VALUE : sum + layer.blob.size();
        }
        return sum;
    }
}
