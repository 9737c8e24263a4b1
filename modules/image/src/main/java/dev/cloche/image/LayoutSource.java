package dev.cloche.image;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** An OCI layout directory (OCI image specification, "image layout"). */
final class LayoutSource implements ImageSource {
    private final Path layout;
    private final Descriptor entry;
    private final int longest;

    private LayoutSource(Path layout, Descriptor entry, int longest) {
        this.layout = layout;
        this.entry = entry;
        this.longest = longest;
    }

    /** The layout's image whose name, normalised, is this one; a directory that is not there has none. */
    static Optional<LayoutSource> find(Path layout, ImageReference reference, ImageLimits limits) {
        try {
            byte[] index = read(layout.resolve("index.json"), limits.documentBytes());
            ManifestDocument document = ManifestDocument.read(index, Optional.of(ManifestDocument.OCI_INDEX));
            if (!(document instanceof ManifestDocument.Index(List<Descriptor> manifests))) {
                throw new Json.Malformed("its index.json is no index");
            }
            return manifests.stream()
                    .filter(m -> m.name().filter(name -> means(name, reference)).isPresent())
                    .findFirst()
                    .map(m -> new LayoutSource(layout, m, limits.documentBytes()));
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        } catch (IOException e) {
            throw new ImageCacheFailed(layout, e);
        } catch (Json.Malformed e) {
            throw new PullFailed(
                    PullFailed.Reason.BAD_CONTENT, layout.toString(), "the layout cannot be read: " + e.getMessage());
        }
    }

    @Override
    public String name() {
        return layout.toString();
    }

    /** A name is resolved by the layout's index, a digest by the names of its blobs. */
    @Override
    public Document manifest(ImageReference reference, String target) throws IOException {
        boolean named = !target.startsWith("sha256:");
        Digest digest = named ? entry.digest() : Digest.parse(target);
        Optional<String> type = named ? Optional.of(entry.mediaType()).filter(t -> !t.isEmpty()) : Optional.empty();
        try {
            return new Document(read(blobFile(digest), longest), type);
        } catch (NoSuchFileException e) {
            throw absent(digest);
        }
    }

    @Override
    public InputStream blob(Descriptor descriptor) throws IOException {
        try {
            return new BufferedInputStream(Files.newInputStream(blobFile(descriptor.digest())), 1 << 16);
        } catch (NoSuchFileException e) {
            throw absent(descriptor.digest());
        }
    }

    @Override
    public void close() {
        // Holds nothing open between calls.
    }

    private PullFailed absent(Digest digest) {
        return new PullFailed(PullFailed.Reason.NOT_FOUND, name(), "the layout has no blob " + digest);
    }

    private Path blobFile(Digest digest) {
        return layout.resolve("blobs").resolve("sha256").resolve(digest.hex());
    }

    private static boolean means(String name, ImageReference reference) {
        try {
            return ImageReference.parse(name).equals(reference);
        } catch (BadReference other) {
            return false;
        }
    }

    private static byte[] read(Path file, int longest) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(longest + 1);
        }
    }
}
