package dev.cloche.image;

import java.util.List;

/**
 * Describes everything that is recorded of an image under one of its names.
 *
 * <pre>{@code
 * ImageDetails image = cloche.images().inspect("debian:12");
 * image.layers().forEach(layer -> System.out.println(layer.diffId() + " " + layer.erofsBytes()));
 * }</pre>
 *
 * @param summary the image
 * @param mediaType of its manifest
 * @param configDigest identity of its config, which Docker calls the image's id
 * @param config how it wants to be run
 * @param layers from bottom to top; a repeated layer stands as often as the image has it
 * @param warnings what of its config could not be read and was left out
 * @param holders who uses it
 */
public record ImageDetails(
        ImageSummary summary,
        String mediaType,
        Digest configDigest,
        ImageConfig config,
        List<Layer> layers,
        List<String> warnings,
        List<ImageHolder> holders) {
    public ImageDetails {
        layers = List.copyOf(layers);
        warnings = List.copyOf(warnings);
        holders = List.copyOf(holders);
    }

    /**
     * Describes one layer.
     *
     * @param diffId digest of its uncompressed archive
     * @param blob digest of the compressed one
     * @param mediaType of the compressed one
     * @param compressedBytes length of the compressed one
     * @param erofsBytes length of its file here
     */
    public record Layer(Digest diffId, Digest blob, String mediaType, long compressedBytes, long erofsBytes) {}

    /** Returns the image as a list has it. */
    public LocalImage image() {
        return new LocalImage(summary, holders);
    }

    ImageDetails withWarnings(List<String> found) {
        return new ImageDetails(summary, mediaType, configDigest, config, layers, found, holders);
    }
}
