package dev.cloche.image.transfer;

import dev.cloche.base.JsonValue;
import dev.cloche.image.Digest;
import dev.cloche.image.ImageReference;
import dev.cloche.image.PullFailed;
import dev.cloche.image.layer.ChangedFiles;
import dev.cloche.image.manifest.Descriptor;
import dev.cloche.image.manifest.Document;
import dev.cloche.image.manifest.ImageSource;
import dev.cloche.image.manifest.JsonText;
import dev.cloche.image.manifest.ManifestDocument;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An image that is another one and a layer above it. Neither its manifest nor its config says when it was made, so the same
 * changes of the same image are the same image. Thread-safe.
 */
final class CommittedImage implements ImageSource {
    private static final String OCI_CONFIG = "application/vnd.oci.image.config.v1+json";
    private static final String OCI_LAYER = "application/vnd.oci.image.layer.v1.tar";
    /** What Docker's own manifests call layers, of which OCI's have the same kinds by other names. */
    private static final String DOCKER_LAYER = "application/vnd.docker.image.rootfs.diff.tar";

    private final ChangedFiles layer;
    private final Descriptor layerBlob;
    private final byte[] config;
    private final Descriptor configBlob;
    private final byte[] manifest;

    /** Says what a new image stands on. */
    record Base(ManifestDocument.OfImage manifest, JsonValue.Fields config) {}

    /**
     * @param layer sorted
     * @param digest of its archive, of so many bytes
     */
    CommittedImage(Base base, ChangedFiles layer, Digest digest, long bytes, String message) {
        this.layer = layer;
        layerBlob = Descriptor.of(OCI_LAYER, digest, bytes);
        config = JsonText.document(config(base.config(), digest, message));
        configBlob = Descriptor.of(OCI_CONFIG, Digest.of(config), config.length);
        manifest = JsonText.document(manifest(base.manifest()));
    }

    private static Map<String, Object> config(JsonValue.Fields base, Digest layer, String message) {
        Map<String, Object> config = new LinkedHashMap<>(base.fields());
        config.remove("created");
        JsonValue.Fields root = base.object("rootfs").orElse(JsonValue.Fields.NONE);
        Map<String, Object> layers = new LinkedHashMap<>(root.fields());
        layers.put("type", "layers");
        layers.put("diff_ids", with(root.items("diff_ids").orElse(List.of()), layer.toString()));
        config.put("rootfs", layers);
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("created_by", "Cloche, of what a sandbox has changed");
        if (!message.isEmpty()) {
            entry.put("comment", message);
        }
        config.put("history", with(base.items("history").orElse(List.of()), entry));
        return config;
    }

    private Map<String, Object> manifest(ManifestDocument.OfImage base) {
        List<Object> layers = new ArrayList<>();
        for (Descriptor below : base.layers()) {
            layers.add(JsonText.descriptor(ociType(below.mediaType()), below.digest(), below.size()));
        }
        layers.add(JsonText.descriptor(layerBlob.mediaType(), layerBlob.digest(), layerBlob.size()));
        Map<String, Object> whole = new LinkedHashMap<>();
        whole.put("schemaVersion", 2L);
        whole.put("mediaType", ManifestDocument.OCI_MANIFEST);
        whole.put("config", JsonText.descriptor(configBlob.mediaType(), configBlob.digest(), configBlob.size()));
        whole.put("layers", layers);
        return whole;
    }

    private static List<Object> with(List<? extends Object> items, Object last) {
        List<Object> all = new ArrayList<>(items);
        all.add(last);
        return all;
    }

    private static String ociType(String type) {
        return type.startsWith(DOCKER_LAYER)
                ? OCI_LAYER + type.substring(DOCKER_LAYER.length()).replace('.', '+')
                : type;
    }

    /** Returns the digest by which the image is asked for. */
    Digest digest() {
        return Digest.of(manifest);
    }

    @Override
    public String name() {
        return "a sandbox";
    }

    @Override
    public boolean lasts() {
        return false;
    }

    /** Layers of the image below are had from where that came from. */
    @Override
    public boolean lasts(Descriptor blob) {
        return !blob.digest().equals(layerBlob.digest());
    }

    @Override
    public Document manifest(ImageReference reference, String target) {
        return new Document(manifest, Optional.of(ManifestDocument.OCI_MANIFEST));
    }

    @Override
    public InputStream blob(Descriptor descriptor) {
        if (descriptor.digest().equals(configBlob.digest())) {
            return new ByteArrayInputStream(config);
        }
        if (descriptor.digest().equals(layerBlob.digest())) {
            return layer.archive();
        }
        throw new PullFailed(
                PullFailed.Reason.INCOMPLETE,
                name(),
                "the layer " + descriptor.digest() + " of its image is damaged here");
    }

    @Override
    public void close() {
        // What was collected is closed by its owner.
    }
}
