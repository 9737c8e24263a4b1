package dev.cloche.image;

import dev.cloche.base.JsonValue;
import dev.cloche.image.manifest.ConfigDocument;
import dev.cloche.image.manifest.Descriptor;
import dev.cloche.image.manifest.ManifestDocument;
import dev.cloche.image.manifest.PlatformChoice;
import dev.cloche.image.registry.Challenge;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** Feeds arbitrary bytes to everything that reads a registry's documents and headers. The entry for a fuzzer, too. */
final class DocumentBytes {
    private DocumentBytes() {}

    /** For Jazzer, which looks for this name: anything but the typed errors is a finding. */
    public static void fuzzerTestOneInput(byte[] bytes) {
        consume(bytes);
    }

    /** Whether it was a manifest or a config; any error but the typed ones is thrown. */
    static boolean consume(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        Challenge.choose(List.of(text));
        try {
            ImageReference.parse(text);
        } catch (BadReference refused) {
            // As it should be.
        }
        boolean manifest = manifest(bytes);
        return config(bytes) || manifest;
    }

    private static boolean manifest(byte[] bytes) {
        try {
            ManifestDocument document = ManifestDocument.read(bytes, Optional.empty());
            if (document instanceof ManifestDocument.Index(List<Descriptor> manifests)) {
                PlatformChoice.choose(manifests, Platform.host());
                PlatformChoice.existing(manifests);
            }
            return true;
        } catch (JsonValue.Malformed refused) {
            return false;
        }
    }

    private static boolean config(byte[] bytes) {
        try {
            ConfigDocument.read(bytes);
            return true;
        } catch (JsonValue.Malformed refused) {
            return false;
        }
    }
}
