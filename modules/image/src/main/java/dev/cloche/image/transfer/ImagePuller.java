package dev.cloche.image.transfer;

import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.image.Digest;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageReference;
import dev.cloche.image.ImageStoreOptions;
import dev.cloche.image.PullEvent;
import dev.cloche.image.PullFailed;
import dev.cloche.image.PullListener;
import dev.cloche.image.layer.DiskAssembler;
import dev.cloche.image.layer.FileFingerprint;
import dev.cloche.image.layer.FilePublication;
import dev.cloche.image.layer.LayerCompression;
import dev.cloche.image.manifest.Descriptor;
import dev.cloche.image.manifest.Document;
import dev.cloche.image.manifest.ImageSource;
import dev.cloche.image.store.CacheFiles;
import dev.cloche.image.store.CacheLock;
import dev.cloche.image.store.CacheVerification;
import dev.cloche.image.store.CheckedFile;
import dev.cloche.image.store.ForgottenContent;
import dev.cloche.image.store.ForgottenFiles;
import dev.cloche.image.store.ImageCatalog;
import dev.cloche.image.store.PulledImage;
import dev.cloche.image.store.ReclaimedSpace;
import dev.cloche.image.store.RecordedImage;
import dev.cloche.image.store.StoredImage;
import dev.cloche.image.store.StoredImage.StoredLayer;
import dev.cloche.image.store.UnfinishedPullFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Makes every file of an image and records it. Processes that want the same image take turns at the lock of its manifest, and
 * those whose images share a layer at the lock of the layer; the second finds the work done.
 *
 * <p>Locks are taken in one order: a manifest, its config, then layers by name. A deletion of files waits for no lock and looks
 * at the catalog again under it, so a file that is about to be recorded is never taken away.
 */
final class ImagePuller {
    private final CacheFiles files;
    private final ImageCatalog catalog;
    private final CacheVerification verification;
    private final ImageStoreOptions options;

    ImagePuller(CacheFiles files, ImageCatalog catalog, ImageStoreOptions options) {
        this.files = files;
        this.catalog = catalog;
        this.verification = new CacheVerification(files, catalog);
        this.options = options;
    }

    /**
     * Brings the image here and makes {@code reference} mean it.
     *
     * @param wanted what to ask the source for; the reference itself, or the manifest that it is known to mean
     * @param holder who holds it from then on
     */
    RecordedImage pull(
            ImageSource source,
            ImageReference reference,
            ImageReference wanted,
            Optional<ImageHolder> holder,
            PullListener listener,
            Deadline deadline)
            throws IOException, InterruptedException {
        PullWatch watch = new PullWatch(options.operations(), reference, source);
        try {
            RecordedImage pulled =
                    resolveAndFetch(source, reference, wanted, holder, watch.listening(listener), deadline);
            watch.succeeded(pulled);
            return pulled;
        } catch (Throwable failure) {
            watch.failed(failure);
            throw failure;
        }
    }

    private RecordedImage resolveAndFetch(
            ImageSource source,
            ImageReference reference,
            ImageReference wanted,
            Optional<ImageHolder> holder,
            PullListener listener,
            Deadline deadline)
            throws IOException, InterruptedException {
        if (catalog.find(reference).isEmpty()) {
            // What has a name here is mostly here itself, and then no layer is read.
            LayerCompression.prepare();
        }
        files.create();
        new UnfinishedPullFiles(files, catalog).deleteUnfinished();
        ResolvedImage image = new ImageResolver(files, options).resolve(source, wanted);
        image.config().warnings().forEach(text -> listener.on(new PullEvent.Warning(text)));
        Map<Digest, Descriptor> layers = new LinkedHashMap<>();
        for (int i = 0; i < image.diffIds().size(); i++) {
            layers.putIfAbsent(image.diffIds().get(i), image.image().layers().get(i));
        }
        listener.on(new PullEvent.Resolved(reference, image.manifest(), layers.size()));
        try {
            return fetch(source, reference, image, layers, holder, listener, deadline);
        } catch (Throwable failure) {
            // Of a source that does not last, no next time would find the layers of use.
            abandon(image, source.lasts() ? List.of() : image.diffIds(), failure);
            throw failure;
        }
    }

    private RecordedImage fetch(
            ImageSource source,
            ImageReference reference,
            ResolvedImage image,
            Map<Digest, Descriptor> layers,
            Optional<ImageHolder> holder,
            PullListener listener,
            Deadline deadline)
            throws IOException, InterruptedException {
        try (CacheLock _ = lock(source, files.manifestLock(image.manifest()), deadline)) {
            keep(files.document(image.manifest()), image.document());
            Optional<StoredImage> known = catalog.find(image.manifest())
                    .filter(stored -> stored.layers().size() == layers.size());
            if (known.isPresent() && source.lasts() && verification.check(known.get())) {
                Digest config = image.image().config().digest();
                try (CacheLock _ = lock(source, files.configLock(config), deadline)) {
                    keep(files.document(config), image.configDocument());
                }
                Optional<RecordedImage> pointed = catalog.point(reference, holder, image.manifest());
                if (pointed.isPresent()) {
                    return pointed.get();
                }
            }
            return finish(source, reference, image, layers, holder, listener, deadline);
        }
    }

    /** Documents are small, so what is there is compared whole and only written if it is not the same. */
    private static void keep(Path file, Document document) throws IOException {
        try {
            if (CacheFiles.hasSize(file, document.bytes().length)
                    && Arrays.equals(Files.readAllBytes(file), document.bytes())) {
                return;
            }
        } catch (NoSuchFileException removed) {
            // Between the two looks.
        }
        DurableFiles.write(file, document.bytes());
    }

    /** Takes back what a pull that failed has made, but for what images have and what others are at. */
    private void abandon(ResolvedImage image, List<Digest> layers, Throwable failure) {
        try {
            catalog.forgetLayers(layers);
            // Also those whose worker was interrupted between the file and its row; what has a row stays.
            ForgottenContent forgotten = new ForgottenContent(
                    List.of(image.manifest()), List.of(image.image().config().digest()), layers);
            new ForgottenFiles(files, catalog, new ReclaimedSpace()).delete(forgotten);
        } catch (IOException | RuntimeException e) {
            failure.addSuppressed(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private RecordedImage finish(
            ImageSource source,
            ImageReference reference,
            ResolvedImage image,
            Map<Digest, Descriptor> layers,
            Optional<ImageHolder> holder,
            PullListener listener,
            Deadline deadline)
            throws IOException, InterruptedException {
        LayerPull pull = new LayerPull(source, files, options.limits().archive(), listener);
        Map<Digest, StoredLayer> stored = LayerPulls.run(options.parallelism(), layers, (diffId, blob) -> {
            try (CacheLock _ = lock(source, files.layerLock(diffId), deadline)) {
                return oneLayer(pull, diffId, blob, listener);
            }
        });
        Digest config = image.image().config().digest();
        Deque<CacheLock> locks = new ArrayDeque<>();
        try {
            locks.push(lock(source, files.configLock(config), deadline));
            SortedSet<Path> layerLocks = new TreeSet<>();
            layers.keySet().forEach(diffId -> layerLocks.add(files.layerLock(diffId)));
            for (Path file : layerLocks) {
                locks.push(lock(source, file, deadline));
            }
            if (!areThere(stored)) {
                // A removal took images away meanwhile. Under all locks that cannot happen again.
                stored = LayerPulls.run(
                        options.parallelism(), layers, (diffId, blob) -> oneLayer(pull, diffId, blob, listener));
            }
            keep(files.document(config), image.configDocument());
            return catalog.persist(reference, holder, assemble(image, stored));
        } finally {
            CacheLock.closeAll(locks);
        }
    }

    private boolean areThere(Map<Digest, StoredLayer> layers) {
        return layers.values().stream()
                .allMatch(layer -> CacheFiles.hasSize(
                        files.layer(layer.diffId()), layer.file().bytes()));
    }

    private StoredLayer oneLayer(LayerPull pull, Digest diffId, Descriptor blob, PullListener listener)
            throws IOException {
        Optional<StoredLayer> known = catalog.layer(diffId);
        Optional<StoredLayer> sound = known.isPresent() ? verification.check(known.get()) : known;
        if (sound.isPresent()) {
            pull.keepIfWanted(blob, diffId);
            listener.on(new PullEvent.LayerReady(blob.digest(), true));
            return sound.get();
        }
        StoredLayer layer = pull.run(blob, diffId);
        record(layer);
        listener.on(new PullEvent.LayerReady(blob.digest(), false));
        return layer;
    }

    /** A layer without a row would stay until a prune: where the disk is full, that is room which is missing. */
    private void record(StoredLayer layer) throws IOException {
        try {
            catalog.layerStored(layer);
        } catch (RuntimeException unrecorded) {
            Files.deleteIfExists(files.layer(layer.diffId()));
            throw unrecorded;
        }
    }

    /** Returns the files that join the layers. They are made anew: a torn one must not survive. */
    private PulledImage assemble(ResolvedImage image, Map<Digest, StoredLayer> stored) throws IOException {
        List<Path> layers = image.diffIds().stream().map(files::layer).toList();
        Path fsmeta = files.fsmeta(image.manifest());
        Path temporary = files.temporaryFsmeta(image.manifest());
        FileFingerprint fsmetaFile;
        try {
            DiskAssembler.writeFsmeta(layers, temporary, options.limits());
            fsmetaFile = FilePublication.publish(temporary, fsmeta);
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
                CheckedFile.now(fsmetaFile, fsmeta),
                CheckedFile.now(FilePublication.read(vmdk), vmdk));
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
