package dev.cloche;

import dev.cloche.image.ImageConfig;
import dev.cloche.image.ListedImage;
import java.util.List;
import java.util.Map;

/**
 * Everything that is known of an image.
 *
 * <pre>{@code
 * ImageDetails image = cloche.images().inspect("debian:12");
 * image.layers().forEach(layer -> System.out.println(layer.diffId() + " " + layer.bytesHere()));
 * }</pre>
 *
 * @param info its name and size
 * @param mediaType of its manifest
 * @param configDigest of its config, {@code sha256:…}; Docker calls it the image's id
 * @param env {@code NAME=value} each
 * @param cmd default arguments
 * @param entrypoint what the arguments are given to; empty for none
 * @param user name or number, with a group after a colon; empty for root
 * @param workingDirectory absolute path; empty for the root directory
 * @param labels free-form facts
 * @param stopSignal name or number; empty for SIGTERM
 * @param layers from bottom to top
 * @param warnings what of its config could not be read and was left out
 */
public record ImageDetails(
        ImageInfo info,
        String mediaType,
        String configDigest,
        List<String> env,
        List<String> cmd,
        List<String> entrypoint,
        String user,
        String workingDirectory,
        Map<String, String> labels,
        String stopSignal,
        List<Layer> layers,
        List<String> warnings) {
    /** Copies the lists. */
    public ImageDetails {
        env = List.copyOf(env);
        cmd = List.copyOf(cmd);
        entrypoint = List.copyOf(entrypoint);
        labels = Map.copyOf(labels);
        layers = List.copyOf(layers);
        warnings = List.copyOf(warnings);
    }

    static ImageDetails of(dev.cloche.image.ImageDetails image) {
        ImageConfig config = image.config();
        return new ImageDetails(
                ImageInfo.of(new ListedImage(image.summary(), image.holders())),
                image.mediaType(),
                image.configDigest().toString(),
                config.env(),
                config.cmd(),
                config.entrypoint(),
                config.user(),
                config.workingDir(),
                config.labels(),
                config.stopSignal(),
                image.layers().stream()
                        .map(layer -> new Layer(
                                layer.diffId().toString(),
                                layer.blob().toString(),
                                layer.mediaType(),
                                layer.compressedBytes(),
                                layer.erofsBytes()))
                        .toList(),
                image.warnings());
    }

    /**
     * One layer.
     *
     * @param diffId digest of its uncompressed archive, {@code sha256:…}
     * @param digest of the compressed one, by which registries have it
     * @param mediaType of the compressed one
     * @param compressedBytes length of the compressed one
     * @param bytesHere length of the file here that images with this layer share
     */
    public record Layer(String diffId, String digest, String mediaType, long compressedBytes, long bytesHere) {}
}
