package dev.cloche.image.transfer;

import dev.cloche.image.Digest;
import dev.cloche.image.manifest.ConfigDocument;
import dev.cloche.image.manifest.Document;
import dev.cloche.image.manifest.ManifestDocument;
import java.util.List;

/**
 * Says what a name means at its source, checked, before any layer is here.
 *
 * @param document the manifest's bytes
 * @param image the manifest
 * @param configDocument the config's bytes
 * @param config the config, with one diff id for each layer
 */
record ResolvedImage(
        Document document, ManifestDocument.OfImage image, Document configDocument, ConfigDocument config) {
    Digest manifest() {
        return document.digest();
    }

    List<Digest> diffIds() {
        return config.diffIds();
    }
}
