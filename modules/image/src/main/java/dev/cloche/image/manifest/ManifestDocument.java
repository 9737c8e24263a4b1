package dev.cloche.image.manifest;

import dev.cloche.base.JsonValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Says what a registry calls a manifest: of one image, or an index of several. Docker's schema 2 and OCI alike. */
public sealed interface ManifestDocument {
    String OCI_INDEX = "application/vnd.oci.image.index.v1+json";
    String OCI_MANIFEST = "application/vnd.oci.image.manifest.v1+json";
    String DOCKER_LIST = "application/vnd.docker.distribution.manifest.list.v2+json";
    String DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json";
    String ACCEPT = String.join(", ", OCI_INDEX, OCI_MANIFEST, DOCKER_LIST, DOCKER_MANIFEST);

    /** Describes one image, layers from bottom to top. */
    record OfImage(String mediaType, Descriptor config, List<Descriptor> layers) implements ManifestDocument {}

    /** Several manifests. */
    record Index(List<Descriptor> manifests) implements ManifestDocument {}

    /**
     * Reads a manifest or index.
     *
     * @param declaredType media type from outside of the document, for those that do not name their own
     */
    static ManifestDocument read(byte[] document, Optional<String> declaredType) throws JsonValue.Malformed {
        JsonValue.Fields fields = JsonValue.parse(document);
        if (fields.whole("schemaVersion").orElse(0) != 2) {
            throw new JsonValue.Malformed("it is not of schema version 2");
        }
        boolean listsManifests = fields.has("manifests");
        boolean listsLayers = fields.has("layers") || fields.has("config");
        // The same bytes must not mean one thing here and another there (CVE-2021-41190).
        if (listsManifests == listsLayers) {
            throw new JsonValue.Malformed("it must be either an image's manifest or an index");
        }
        String type = fields.text("mediaType").or(() -> declaredType).orElse("");
        if (listsManifests) {
            expect(type, OCI_INDEX, DOCKER_LIST);
            return new Index(descriptors(fields, "manifests"));
        }
        expect(type, OCI_MANIFEST, DOCKER_MANIFEST);
        JsonValue config = fields.fields().get("config");
        if (config == null) {
            throw new JsonValue.Malformed("it has no config");
        }
        return new OfImage(
                type.isEmpty() ? OCI_MANIFEST : type, Descriptor.read(config), descriptors(fields, "layers"));
    }

    private static void expect(String type, String oci, String docker) throws JsonValue.Malformed {
        if (!type.isEmpty() && !type.equals(oci) && !type.equals(docker)) {
            throw new JsonValue.Malformed("its media type does not fit its content");
        }
    }

    private static List<Descriptor> descriptors(JsonValue.Fields fields, String name) throws JsonValue.Malformed {
        List<Descriptor> descriptors = new ArrayList<>();
        for (JsonValue item : fields.items(name).orElse(List.of())) {
            descriptors.add(Descriptor.read(item));
        }
        return List.copyOf(descriptors);
    }
}
