package dev.cloche.image.transfer;

import dev.cloche.base.JsonValue;
import dev.cloche.image.BadReference;
import dev.cloche.image.Digest;
import dev.cloche.image.ImageCacheFailed;
import dev.cloche.image.ImageException;
import dev.cloche.image.ImageLimits;
import dev.cloche.image.ImageReference;
import dev.cloche.image.PullFailed;
import dev.cloche.image.manifest.Descriptor;
import dev.cloche.image.manifest.Document;
import dev.cloche.image.manifest.ImageSource;
import dev.cloche.image.manifest.ManifestDocument;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** An image of an OCI layout (OCI image specification, "image layout"). */
final class LayoutSource implements ImageSource {
    private final LayoutFiles files;
    private final Descriptor entry;
    private final int longest;
    private final boolean lasts;

    /** @param lasts whether the layout will be there when the image is to be repaired */
    LayoutSource(LayoutFiles files, Descriptor entry, ImageLimits limits, boolean lasts) {
        this.files = files;
        this.entry = entry;
        this.longest = limits.documentBytes();
        this.lasts = lasts;
    }

    /**
     * Returns the layout's image whose name, normalised, is this one, or whose digest; a directory that is not there has
     * none.
     */
    static Optional<LayoutSource> find(Path layout, ImageReference reference, ImageLimits limits) {
        LayoutFiles files = new LayoutDirectory(layout);
        try {
            return entries(files, limits).stream()
                    .filter(m -> reference.isDigestAlone()
                            ? m.digest().equals(reference.digest().orElseThrow())
                            : m.name().filter(name -> means(name, reference)).isPresent())
                    .findFirst()
                    .map(m -> new LayoutSource(files, m, limits, true));
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        } catch (IOException e) {
            throw new ImageCacheFailed(layout, e);
        }
    }

    /** Returns the names of its images; none of a layout that is not there, or cannot be read. */
    static List<ImageReference> names(Path layout, ImageLimits limits) {
        try {
            return entries(new LayoutDirectory(layout), limits).stream()
                    .flatMap(image -> image.name().flatMap(LayoutSource::reference).stream())
                    .toList();
        } catch (IOException | ImageException unreadable) {
            return List.of();
        }
    }

    /**
     * Returns what the layout's index names.
     *
     * @throws NoSuchFileException if it is no layout
     */
    static List<Descriptor> entries(LayoutFiles files, ImageLimits limits) throws IOException {
        byte[] index = files.read("index.json", limits.documentBytes());
        try {
            ManifestDocument document = ManifestDocument.read(index, Optional.of(ManifestDocument.OCI_INDEX));
            if (!(document instanceof ManifestDocument.Index(List<Descriptor> manifests))) {
                throw new JsonValue.Malformed("its index.json is no index");
            }
            return manifests;
        } catch (JsonValue.Malformed e) {
            throw new PullFailed(
                    PullFailed.Reason.BAD_CONTENT, files.name(), "the layout cannot be read: " + e.getMessage());
        }
    }

    /** Returns whether its name means this manifest, not by way of an index. */
    boolean means(Digest manifest) {
        return entry.digest().equals(manifest);
    }

    @Override
    public String name() {
        return files.name();
    }

    @Override
    public boolean lasts() {
        return lasts;
    }

    /** A name is resolved by the layout's index, a digest by the names of its blobs. */
    @Override
    public Document manifest(ImageReference reference, String target) throws IOException {
        boolean named = !target.startsWith("sha256:");
        Digest digest = named ? entry.digest() : Digest.parse(target);
        Optional<String> type = named ? Optional.of(entry.mediaType()).filter(t -> !t.isEmpty()) : Optional.empty();
        try {
            return new Document(files.read(LayoutFiles.blob(digest), longest), type);
        } catch (NoSuchFileException e) {
            throw absent(digest);
        }
    }

    @Override
    public InputStream blob(Descriptor descriptor) throws IOException {
        try {
            return files.open(LayoutFiles.blob(descriptor.digest()));
        } catch (NoSuchFileException e) {
            throw absent(descriptor.digest());
        }
    }

    @Override
    public void close() {
        // The files are closed by who opened them.
    }

    private PullFailed absent(Digest digest) {
        return new PullFailed(PullFailed.Reason.INCOMPLETE, name(), "the layout has no blob " + digest);
    }

    private static boolean means(String name, ImageReference reference) {
        return reference(name).filter(reference::equals).isPresent();
    }

    private static Optional<ImageReference> reference(String name) {
        try {
            return Optional.of(ImageReference.parse(name));
        } catch (BadReference other) {
            return Optional.empty();
        }
    }
}
