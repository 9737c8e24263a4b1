package dev.cloche.image.transfer;

import dev.cloche.base.ClocheException;
import dev.cloche.base.DurableFiles;
import dev.cloche.image.Digest;
import dev.cloche.image.ImageDetails;
import dev.cloche.image.ImageLimits;
import dev.cloche.image.ImageReference;
import dev.cloche.image.PullEvent;
import dev.cloche.image.PullFailed;
import dev.cloche.image.PullListener;
import dev.cloche.image.SaveFailed;
import dev.cloche.image.layer.DigestingStream;
import dev.cloche.image.layer.FileFingerprint;
import dev.cloche.image.manifest.Descriptor;
import dev.cloche.image.manifest.ImageSource;
import dev.cloche.image.manifest.JsonText;
import dev.cloche.image.manifest.ManifestDocument;
import dev.cloche.image.store.CacheFiles;
import dev.cloche.image.store.CacheVerification;
import dev.cloche.image.store.ImageCatalog;
import dev.cloche.image.tar.TarWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Writes images as an OCI layout in an archive that Docker loads too. Manifests, configs and layers are those that came,
 * byte for byte, so an image has the same digest wherever the archive is loaded. Layers are kept here in another form,
 * so their blobs come from where the image came from: the archive that it was loaded from, which was kept, or its
 * registry.
 */
public final class ImageSaving {
    private static final String LAYOUT = "{\"imageLayoutVersion\":\"1.0.0\"}";

    private final CacheFiles files;
    private final ImageCatalog catalog;
    private final ImageLimits limits;
    private final Function<ImageReference, ImageSource> sources;
    private final PullListener listener;

    /** @param sources where an image of a name comes from */
    public ImageSaving(
            CacheFiles files,
            ImageCatalog catalog,
            ImageLimits limits,
            Function<ImageReference, ImageSource> sources,
            PullListener listener) {
        this.files = files;
        this.catalog = catalog;
        this.limits = limits;
        this.sources = sources;
        this.listener = listener;
    }

    /**
     * Writes an archive of images.
     *
     * @param target a file that does not exist yet
     */
    public void save(List<ImageReference> references, Path target) throws IOException {
        List<ImageDetails> images = new ArrayList<>();
        for (ImageReference reference : references) {
            images.add(catalog.listing()
                    .details(reference)
                    .orElseThrow(() -> catalog.listing().notHere(reference)));
        }
        if (Files.exists(target)) {
            throw exists(target, null);
        }
        Path temporary = DurableFiles.temporaryBeside(target);
        try {
            try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
                write(images, channel);
                channel.force(true);
            }
            DurableFiles.publishNew(temporary, target);
        } catch (FileAlreadyExistsException raced) {
            throw exists(target, raced);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    private void write(List<ImageDetails> images, FileChannel channel) throws IOException {
        OutputStream out = Channels.newOutputStream(channel);
        TarWriter tar = new TarWriter(out);
        tar.file("oci-layout", ascii(LAYOUT));
        Set<Digest> written = new HashSet<>();
        List<Object> index = new ArrayList<>();
        List<Object> docker = new ArrayList<>();
        for (ImageDetails image : images) {
            byte[] manifest = document(image, image.summary().manifest());
            byte[] config = document(image, image.configDigest());
            if (written.add(image.summary().manifest())) {
                tar.file(LayoutFiles.blob(image.summary().manifest()), manifest);
            }
            if (written.add(image.configDigest())) {
                tar.file(LayoutFiles.blob(image.configDigest()), config);
            }
            for (ImageDetails.Layer layer : image.layers()) {
                if (written.add(layer.blob())) {
                    layer(image, layer, tar, channel);
                    listener.on(new PullEvent.LayerReady(layer.blob(), false));
                }
            }
            index.add(entry(image, manifest.length));
            docker.add(dockerEntry(image));
        }
        Map<String, Object> whole = new LinkedHashMap<>();
        whole.put("schemaVersion", 2L);
        whole.put("mediaType", ManifestDocument.OCI_INDEX);
        whole.put("manifests", index);
        tar.file("index.json", JsonText.document(whole));
        tar.file(DockerArchive.INDEX, JsonText.document(docker));
        tar.finish();
    }

    private void layer(ImageDetails image, ImageDetails.Layer layer, TarWriter tar, FileChannel channel)
            throws IOException {
        Path kept = files.blob(layer.diffId());
        FileFingerprint wanted = new FileFingerprint(layer.compressedBytes(), layer.blob());
        long start = channel.position();
        IOException unreadable = null;
        if (CacheVerification.is(kept, wanted)) {
            try (InputStream in = Files.newInputStream(kept)) {
                copy(in, layer, tar);
                return;
            } catch (NoSuchFileException removed) {
                unreadable = removed;
            }
        }
        List<Throwable> failures = new ArrayList<>();
        if (unreadable != null) {
            failures.add(unreadable);
        }
        // Of an image that was made here, the images below it say where their layers come from.
        Set<ImageReference> names =
                new LinkedHashSet<>(catalog.listing().namesOf(image.summary().manifest()));
        names.addAll(catalog.listing().namesWith(layer.diffId(), layer.blob()));
        for (ImageReference name : names) {
            // What an attempt has written before it failed is taken back.
            channel.truncate(start);
            try (ImageSource source = sources.apply(name);
                    InputStream in =
                            source.blob(Descriptor.of(layer.mediaType(), layer.blob(), layer.compressedBytes()))) {
                copy(in, layer, tar);
                return;
            } catch (PullFailed | IOException e) {
                failures.add(e);
            }
        }
        throw unavailable(image, layer, failures);
    }

    private void copy(InputStream in, ImageDetails.Layer layer, TarWriter tar) throws IOException {
        DigestingStream hashed = new DigestingStream(
                in, count -> listener.on(new PullEvent.Progress(layer.blob(), count, layer.compressedBytes())));
        tar.file(LayoutFiles.blob(layer.blob()), layer.compressedBytes(), hashed);
        Digest found = hashed.digestOfAll();
        if (!found.equals(layer.blob())) {
            throw new IOException("its layer should have been " + layer.blob() + " and was " + found);
        }
    }

    /** A cached document is only what it should be if its digest says so; a registry has it too. */
    private byte[] document(ImageDetails image, Digest digest) throws IOException {
        Path file = files.document(digest);
        if (Files.exists(file) && Files.size(file) <= limits.documentBytes()) {
            byte[] bytes = Files.readAllBytes(file);
            if (Digest.of(bytes).equals(digest)) {
                return bytes;
            }
        }
        throw new SaveFailed(
                "The document " + digest + " of the image " + image.summary().reference() + " is damaged here.",
                "Pull or load the image again, then save it.",
                null);
    }

    private static Map<String, Object> entry(ImageDetails image, long manifestBytes) {
        ImageReference reference = image.summary().reference();
        Map<String, Object> annotations = new LinkedHashMap<>();
        if (!reference.isDigestAlone()) {
            annotations.put(Descriptor.FULL_NAME, reference.toString());
        }
        reference.tag().ifPresent(tag -> annotations.put("org.opencontainers.image.ref.name", tag));
        Map<String, Object> entry =
                JsonText.descriptor(image.mediaType(), image.summary().manifest(), manifestBytes);
        entry.put("annotations", annotations);
        return entry;
    }

    private static Map<String, Object> dockerEntry(ImageDetails image) {
        ImageReference reference = image.summary().reference();
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("Config", LayoutFiles.blob(image.configDigest()));
        // Docker knows names with tags only.
        entry.put("RepoTags", reference.tag().isPresent() ? List.of(reference.toString()) : List.of());
        entry.put(
                "Layers",
                image.layers().stream()
                        .map(layer -> LayoutFiles.blob(layer.blob()))
                        .toList());
        return entry;
    }

    private static SaveFailed unavailable(ImageDetails image, ImageDetails.Layer layer, List<Throwable> failures) {
        String why = failures.isEmpty() ? "" : ": " + ClocheException.sentenceOf(failures.getLast());
        SaveFailed failure = new SaveFailed(
                "The layer " + layer.blob() + " of the image " + image.summary().reference()
                        + " is not to be had in the form in which it came" + why,
                "Cloche keeps layers ready to boot, and takes their original form from the registry: make it reachable,"
                        + " or load the image from an archive first.",
                null);
        failures.forEach(failure::addSuppressed);
        return failure;
    }

    private static SaveFailed exists(Path target, @Nullable Throwable cause) {
        return new SaveFailed("There is a file at " + target + " already.", "Name a file that does not exist.", cause);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
