package dev.cloche.image.transfer;

import dev.cloche.base.OperationEvent;
import dev.cloche.image.Digest;
import dev.cloche.image.ImagePull;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import org.jspecify.annotations.Nullable;

/** Records the pull of an image for Flight Recorder. */
@Name("dev.cloche.Pull")
@Label("Image Pull")
@Description("An image from its source to files that a VM starts with; also of one that was here already")
final class JfrPull extends OperationEvent<ImagePull> {
    @Label("Image")
    @Nullable
    String image;

    @Label("Manifest")
    @Nullable
    String manifest;

    @Label("Source")
    @Description("The registry, or the directory or archive of images")
    @Nullable
    String source;

    @Label("Layers")
    int layers;

    @Label("New Layers")
    @Description("Those that were not here already")
    int newLayers;

    @Label("Bytes")
    @Description("Read of compressed layers")
    @DataAmount
    long bytes;

    @Override
    protected void describe(ImagePull pull) {
        image = pull.image().toString();
        manifest = pull.manifest().map(Digest::toString).orElse(null);
        source = pull.source();
        layers = pull.layers();
        newLayers = pull.newLayers();
        bytes = pull.bytes();
    }
}
