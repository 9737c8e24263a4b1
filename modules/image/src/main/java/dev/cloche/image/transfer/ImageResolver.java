package dev.cloche.image.transfer;

import dev.cloche.base.JsonValue;
import dev.cloche.base.Printable;
import dev.cloche.image.Digest;
import dev.cloche.image.ImageReference;
import dev.cloche.image.ImageStoreOptions;
import dev.cloche.image.Platform;
import dev.cloche.image.PullFailed;
import dev.cloche.image.layer.LayerCompression;
import dev.cloche.image.manifest.ConfigDocument;
import dev.cloche.image.manifest.Descriptor;
import dev.cloche.image.manifest.Document;
import dev.cloche.image.manifest.ImageSource;
import dev.cloche.image.manifest.ManifestDocument;
import dev.cloche.image.manifest.PlatformChoice;
import dev.cloche.image.store.CacheFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;

/** Finds out what a name means: from a tag to an index, to the manifest of a platform, to its config. */
final class ImageResolver {
    /** An index may name an index, as layouts of images for several platforms do. */
    private static final int DEEPEST = 3;

    private final CacheFiles files;
    private final ImageStoreOptions options;

    ImageResolver(CacheFiles files, ImageStoreOptions options) {
        this.files = files;
        this.options = options;
    }

    /**
     * @throws PullFailed if it means nothing that can run here
     * @throws IOException if a file cannot be read
     */
    ResolvedImage resolve(ImageSource source, ImageReference reference) throws IOException {
        String target = reference.target();
        Optional<String> type = Optional.empty();
        for (int depth = 0; depth < DEEPEST; depth++) {
            Document document;
            if (target.startsWith("sha256:")) {
                document = byDigest(source, reference, Digest.parse(target));
            } else {
                document = bounded(source, source.manifest(reference, target));
                type = document.mediaType();
            }
            switch (read(source, document, type)) {
                case ManifestDocument.Index(List<Descriptor> manifests) -> {
                    Descriptor chosen = PlatformChoice.choose(manifests, options.platform())
                            .orElseThrow(() -> noPlatform(source, PlatformChoice.existing(manifests)));
                    target = chosen.digest().toString();
                    type = Optional.of(chosen.mediaType()).filter(t -> !t.isEmpty());
                }
                case ManifestDocument.OfImage image -> {
                    return withConfig(source, document, image);
                }
            }
        }
        throw bad(source, "its indexes are nested too deep");
    }

    private ResolvedImage withConfig(ImageSource source, Document document, ManifestDocument.OfImage image)
            throws IOException {
        if (image.layers().size() > options.limits().layers()) {
            throw bad(source, "it has " + image.layers().size() + " layers");
        }
        for (Descriptor layer : image.layers()) {
            if (!LayerCompression.isLayer(layer.mediaType())) {
                throw bad(source, "it has a layer of the type '" + printable(layer.mediaType()) + "'");
            }
            if (layer.size() > options.limits().layerBytes()) {
                throw bad(source, "its layer " + layer.digest() + " has " + layer.size() + " bytes");
            }
        }
        Document configBytes = config(source, image.config());
        ConfigDocument config;
        try {
            config = ConfigDocument.read(configBytes.bytes());
        } catch (JsonValue.Malformed e) {
            throw bad(source, "its config cannot be read: " + e.getMessage());
        }
        Platform platform = config.config().platform();
        if (!platform.os().equals(options.platform().os())
                || !platform.architecture().equals(options.platform().architecture())) {
            throw noPlatform(source, printable(platform.toString()));
        }
        if (config.diffIds().size() != image.layers().size()) {
            throw bad(
                    source,
                    "its config names " + config.diffIds().size() + " layers, its manifest "
                            + image.layers().size());
        }
        return new ResolvedImage(document, image, configBytes, config);
    }

    private Document byDigest(ImageSource source, ImageReference reference, Digest digest) throws IOException {
        Optional<Document> cached = cached(digest);
        if (cached.isPresent()) {
            return cached.get();
        }
        Document document = bounded(source, source.manifest(reference, digest.toString()));
        verify(source, "manifest", digest, document.digest());
        return document;
    }

    private Document config(ImageSource source, Descriptor config) throws IOException {
        Optional<Document> cached = cached(config.digest());
        if (cached.isPresent()) {
            return cached.get();
        }
        if (config.size() > options.limits().documentBytes()) {
            throw bad(source, "its config has " + config.size() + " bytes");
        }
        Document document;
        try (InputStream blob = source.blob(config)) {
            document = bounded(
                    source, new Document(blob.readNBytes(options.limits().documentBytes() + 1), Optional.empty()));
        }
        verify(source, "config", config.digest(), document.digest());
        return document;
    }

    /** A cached document is only what it should be if its digest says so. */
    private Optional<Document> cached(Digest digest) throws IOException {
        try {
            return Optional.of(new Document(Files.readAllBytes(files.document(digest)), Optional.empty()))
                    .filter(document -> document.digest().equals(digest));
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        }
    }

    private static ManifestDocument read(ImageSource source, Document document, Optional<String> type) {
        try {
            return ManifestDocument.read(document.bytes(), type);
        } catch (JsonValue.Malformed e) {
            throw bad(source, "its manifest cannot be read: " + e.getMessage());
        }
    }

    private Document bounded(ImageSource source, Document document) {
        if (document.bytes().length > options.limits().documentBytes()) {
            throw bad(
                    source,
                    "its manifest or config is longer than " + options.limits().documentBytes() + " bytes");
        }
        return document;
    }

    private static void verify(ImageSource source, String what, Digest expected, Digest found) {
        if (!found.equals(expected)) {
            throw mismatch(source, what, expected, found);
        }
    }

    static PullFailed mismatch(ImageSource source, String what, Digest expected, Digest found) {
        return new PullFailed(
                PullFailed.Reason.DIGEST_MISMATCH,
                source.name(),
                "the " + what + " should have been " + expected + " and was " + found);
    }

    private PullFailed noPlatform(ImageSource source, String existing) {
        return new PullFailed(
                PullFailed.Reason.NO_MATCHING_PLATFORM,
                source.name(),
                "the image is not built for " + options.platform() + ", only for " + existing);
    }

    private static PullFailed bad(ImageSource source, String why) {
        return new PullFailed(PullFailed.Reason.BAD_CONTENT, source.name(), "the image cannot be used: " + why);
    }

    /** Registries choose these words, and they go to terminals. */
    private static String printable(String text) {
        return Printable.brief(text, 100);
    }
}
