package dev.cloche.image;

import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.image.StoredImage.StoredLayer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Makes every file of an image and records it. Processes that want the same image take turns at the lock of its manifest,
 * and those whose images share a layer at the lock of the layer; who comes second finds the work done.
 *
 * <p>Locks are taken in one order: a manifest, then layers by digest. Whoever deletes files holds one lock at a time and
 * looks at the catalog again under it, so a file that is about to be recorded is never taken away.
 */
final class ImagePuller {
    /** A layer can only vanish between its pull and the recording if somebody removes images all the while. */
    private static final int ROUNDS = 5;

    private final CacheFiles files;
    private final ImageCatalog catalog;
    private final ImageStoreOptions options;

    ImagePuller(CacheFiles files, ImageCatalog catalog, ImageStoreOptions options) {
        this.files = files;
        this.catalog = catalog;
        this.options = options;
    }

    /**
     * Brings the image here and makes {@code reference} mean it.
     *
     * @param wanted what to ask the source for; the reference itself, or the manifest that it is known to mean
     */
    ImageCatalog.Unused pull(
            ImageSource source,
            ImageReference reference,
            ImageReference wanted,
            PullListener listener,
            Deadline deadline)
            throws IOException, InterruptedException {
        files.create();
        new Leftovers(files).delete();
        ResolvedImage image = new ImageResolver(files, options).resolve(source, wanted);
        image.config().warnings().forEach(text -> listener.on(new PullEvent.Warning(text)));
        Map<Digest, Descriptor> layers = new LinkedHashMap<>();
        for (int i = 0; i < image.diffIds().size(); i++) {
            layers.putIfAbsent(image.diffIds().get(i), image.image().layers().get(i));
        }
        listener.on(new PullEvent.Resolved(reference, image.manifest(), layers.size()));
        try (CacheLock _ = lock(source, files.manifestLock(image.manifest()), deadline)) {
            if (catalog.find(image.manifest()).filter(files::isComplete).isPresent()) {
                Optional<ImageCatalog.Unused> pointed = catalog.point(reference, image.manifest());
                if (pointed.isPresent()) {
                    return pointed.get();
                }
            }
            DurableFiles.write(
                    files.document(image.manifest()), image.document().bytes());
            DurableFiles.write(
                    files.document(image.image().config().digest()),
                    image.configDocument().bytes());
            return finish(source, reference, image, layers, listener, deadline);
        }
    }

    private ImageCatalog.Unused finish(
            ImageSource source,
            ImageReference reference,
            ResolvedImage image,
            Map<Digest, Descriptor> layers,
            PullListener listener,
            Deadline deadline)
            throws IOException, InterruptedException {
        LayerPull pull = new LayerPull(source, files, options.limits().archive(), listener);
        SortedSet<Digest> sorted = new TreeSet<>(layers.keySet());
        for (int round = 0; round < ROUNDS; round++) {
            Map<Digest, StoredLayer> stored = LayerPulls.run(options.parallelism(), layers, (diffId, blob) -> {
                try (CacheLock _ = lock(source, files.layerLock(diffId), deadline)) {
                    return oneLayer(pull, diffId, blob, listener);
                }
            });
            Deque<CacheLock> locks = new ArrayDeque<>();
            try {
                for (Digest diffId : sorted) {
                    locks.push(lock(source, files.layerLock(diffId), deadline));
                }
                boolean all = stored.values().stream()
                        .allMatch(layer -> CacheFiles.hasSize(files.layer(layer.diffId()), layer.erofsBytes()));
                if (all) {
                    return catalog.persist(reference, assemble(image, stored));
                }
            } finally {
                while (!locks.isEmpty()) {
                    locks.pop().close();
                }
            }
        }
        throw new PullFailed(
                PullFailed.Reason.GAVE_UP,
                source.name(),
                "its layers were removed again and again while it was pulled");
    }

    private StoredLayer oneLayer(LayerPull pull, Digest diffId, Descriptor blob, PullListener listener)
            throws IOException {
        Optional<StoredLayer> known =
                catalog.layer(diffId).filter(layer -> CacheFiles.hasSize(files.layer(diffId), layer.erofsBytes()));
        if (known.isPresent()) {
            listener.on(new PullEvent.LayerReady(blob.digest(), true));
            return known.get();
        }
        StoredLayer layer = pull.run(blob, diffId);
        catalog.layerStored(layer);
        listener.on(new PullEvent.LayerReady(blob.digest(), false));
        return layer;
    }

    /** The files that join the layers. They are made anew: a torn one must not survive. */
    private PulledImage assemble(ResolvedImage image, Map<Digest, StoredLayer> stored) throws IOException {
        List<Path> layers = image.diffIds().stream().map(files::layer).toList();
        Path fsmeta = files.fsmeta(image.manifest());
        Path temporary = files.temporaryFor(fsmeta);
        long fsmetaBytes;
        try {
            DiskAssembler.writeFsmeta(layers, temporary);
            fsmetaBytes = files.publish(temporary, fsmeta);
        } finally {
            Files.deleteIfExists(temporary);
        }
        Path vmdk = files.vmdk(image.manifest());
        DiskAssembler.vmdkDescriptor(fsmeta, layers, vmdk);
        List<PulledImage.Layer> rows = new ArrayList<>();
        for (int i = 0; i < image.diffIds().size(); i++) {
            StoredLayer layer =
                    Objects.requireNonNull(stored.get(image.diffIds().get(i)));
            rows.add(new PulledImage.Layer(layer, image.image().layers().get(i)));
        }
        return new PulledImage(
                image.manifest(),
                image.image().mediaType(),
                image.image().config().digest(),
                image.config().config(),
                rows,
                fsmetaBytes,
                Files.size(vmdk));
    }

    private static CacheLock lock(ImageSource source, Path file, Deadline deadline)
            throws IOException, InterruptedException {
        return CacheLock.take(file, deadline)
                .orElseThrow(() -> new PullFailed(
                        PullFailed.Reason.GAVE_UP,
                        source.name(),
                        "the deadline passed while another pull of the same content went on"));
    }
}
