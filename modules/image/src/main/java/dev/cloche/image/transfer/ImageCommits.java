package dev.cloche.image.transfer;

import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.base.JsonValue;
import dev.cloche.image.CommitFailed;
import dev.cloche.image.CorruptArchiveException;
import dev.cloche.image.Digest;
import dev.cloche.image.ImageReference;
import dev.cloche.image.ImageStoreOptions;
import dev.cloche.image.LayerChanges;
import dev.cloche.image.PullListener;
import dev.cloche.image.layer.ChangedFiles;
import dev.cloche.image.layer.DigestingStream;
import dev.cloche.image.manifest.ManifestDocument;
import dev.cloche.image.store.CacheDirectory;
import dev.cloche.image.store.CacheFiles;
import dev.cloche.image.store.CacheLimit;
import dev.cloche.image.store.ImageCatalog;
import dev.cloche.image.store.RecordedImage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Makes images of other images and what has changed in them, by the way on which images are loaded. */
final class ImageCommits {
    private final CacheFiles files;
    private final ImageStoreOptions options;
    private final ImagePuller puller;
    private final CacheLimit limit;

    ImageCommits(CacheFiles files, ImageCatalog catalog, CacheLimit limit, ImageStoreOptions options) {
        this.files = files;
        this.options = options;
        this.limit = limit;
        this.puller = new ImagePuller(files, catalog, options);
    }

    /**
     * Makes an image.
     *
     * @param manifest of the image below, which is held meanwhile
     * @throws IOException if the disk fails
     */
    RecordedImage commit(
            Digest manifest,
            ImageReference name,
            String message,
            Consumer<LayerChanges> changes,
            PullListener listener,
            Deadline deadline)
            throws IOException, InterruptedException {
        CommittedImage.Base base = base(manifest);
        Path directory = files.directory(CacheDirectory.TMP);
        DurableFiles.ensureDirectory(directory);
        // Without a name, so that of a process that is killed nothing is left.
        try (FileChannel spool = TarLayout.nameless(directory)) {
            ChangedFiles layer = new ChangedFiles(spool, options.limits().archive(), options.requireRoom());
            collect(changes, layer);
            AtomicLong bytes = new AtomicLong();
            Digest digest;
            try (DigestingStream archive = new DigestingStream(layer.archive(), bytes::set)) {
                digest = archive.digestOfAll();
            }
            CommittedImage image = new CommittedImage(base, layer, digest, bytes.get(), message);
            RecordedImage made = puller.pull(
                    image,
                    name,
                    name.at(image.digest()),
                    Optional.empty(),
                    new SynchronizedListener(listener),
                    deadline);
            limit.hold(List.of(made.image().manifest()), listener);
            return made;
        } catch (CorruptArchiveException refused) {
            throw new CommitFailed(refused.what(), "Change that in the sandbox, then commit again.", refused);
        }
    }

    private static void collect(Consumer<LayerChanges> changes, ChangedFiles layer) throws IOException {
        try {
            changes.accept(layer);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        layer.sort();
    }

    private CommittedImage.Base base(Digest digest) throws IOException {
        try {
            if (ManifestDocument.read(document(digest), Optional.empty())
                    instanceof ManifestDocument.OfImage manifest) {
                return new CommittedImage.Base(
                        manifest, JsonValue.parse(document(manifest.config().digest())));
            }
            throw damaged(digest, null);
        } catch (JsonValue.Malformed e) {
            throw damaged(digest, e);
        }
    }

    /** A cached document is only what it should be if its digest says so. */
    private byte[] document(Digest digest) throws IOException {
        try {
            byte[] bytes = Files.readAllBytes(files.document(digest));
            if (Digest.of(bytes).equals(digest)) {
                return bytes;
            }
        } catch (NoSuchFileException absent) {
            throw damaged(digest, absent);
        }
        throw damaged(digest, null);
    }

    private static CommitFailed damaged(Digest document, @Nullable Exception cause) {
        return new CommitFailed(
                "the document " + document + " of the sandbox's image is damaged here",
                "Pull or load that image again, then commit again.",
                cause);
    }
}
