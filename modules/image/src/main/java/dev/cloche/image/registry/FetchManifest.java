package dev.cloche.image.registry;

import dev.cloche.image.PullFailed;
import dev.cloche.image.manifest.Document;
import dev.cloche.image.manifest.ManifestDocument;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.Optional;

/**
 * GET {@code /v2/<name>/manifests/<tag or digest>}.
 *
 * @param target tag or digest
 * @param longest most bytes to take
 */
record FetchManifest(String repository, String target, int longest) implements RegistryAction<Document> {
    @Override
    public String describe() {
        return "fetch the manifest " + repository + (target.startsWith("sha256:") ? "@" : ":") + target;
    }

    @Override
    public URI target(URI base) {
        return base.resolve("/v2/" + repository + "/manifests/" + target);
    }

    @Override
    public Map<String, String> headers() {
        return Map.of("Accept", ManifestDocument.ACCEPT);
    }

    @Override
    public boolean answers(int status) {
        return status == 200;
    }

    @Override
    public Document read(RegistryResponse response) throws IOException {
        try (ResponseBody body = response.body()) {
            // What announces more need not be waited for.
            long announced =
                    response.headers().firstValueAsLong("Content-Length").orElse(0);
            if (announced > longest) {
                throw new InvalidResponse(
                        PullFailed.Reason.BAD_CONTENT,
                        "the image cannot be used: its manifest has " + announced + " bytes");
            }
            byte[] document = body.readNBytes(longest + 1);
            Optional<String> type = response.headers()
                    .firstValue("Content-Type")
                    .map(value -> value.split(";", 2)[0].strip())
                    // Registries that serve files from a disk do not know better.
                    .filter(value -> value.startsWith("application/vnd."));
            return new Document(document, type);
        }
    }
}
