package dev.cloche.image.manifest;

import dev.cloche.base.JsonValue;
import dev.cloche.image.Digest;
import dev.cloche.image.Platform;
import java.util.Optional;

/**
 * Points at some content (OCI image specification, "content descriptors").
 *
 * @param mediaType what it is; empty where the document does not say
 * @param digest of its bytes
 * @param size in bytes
 * @param platform in an index: what the manifest is for
 * @param name in a layout's index: annotation {@code io.containerd.image.name}, which is a full name, or else {@code
 *     org.opencontainers.image.ref.name}
 * @param attestation whether it is about another manifest instead of an image
 */
public record Descriptor(
        String mediaType,
        Digest digest,
        long size,
        Optional<Platform> platform,
        Optional<String> name,
        boolean attestation) {
    public static final String FULL_NAME = "io.containerd.image.name";

    public static Descriptor of(String mediaType, Digest digest, long size) {
        return new Descriptor(mediaType, digest, size, Optional.empty(), Optional.empty(), false);
    }

    static Descriptor read(JsonValue json) throws JsonValue.Malformed {
        if (!(json instanceof JsonValue.Fields fields)) {
            throw new JsonValue.Malformed("a descriptor is no object");
        }
        Digest digest;
        try {
            digest = Digest.parse(fields.text("digest").orElse(""));
        } catch (IllegalArgumentException e) {
            throw new JsonValue.Malformed("a descriptor has no sha256 digest");
        }
        long size = fields.whole("size").orElse(-1);
        if (size < 0) {
            throw new JsonValue.Malformed("a descriptor has no size");
        }
        Optional<Platform> platform = fields.object("platform")
                .map(p -> new Platform(
                        p.text("os").orElse(""),
                        p.text("architecture").orElse(""),
                        p.text("variant").orElse("")));
        Optional<JsonValue.Fields> annotations = fields.object("annotations");
        // BuildKit stores provenance and SBOMs as manifests beside the images, for the platform unknown/unknown.
        boolean attestation =
                annotations.flatMap(a -> a.text("vnd.docker.reference.type")).isPresent()
                        || platform.map(p -> p.os().equals("unknown")).orElse(false);
        return new Descriptor(
                fields.text("mediaType").orElse(""),
                digest,
                size,
                platform,
                annotations.flatMap(a -> a.text(FULL_NAME).or(() -> a.text("org.opencontainers.image.ref.name"))),
                attestation);
    }
}
