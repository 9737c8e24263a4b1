package dev.cloche.image.store;

import dev.cloche.base.Deadline;
import dev.cloche.image.Digest;
import dev.cloche.image.ImageCacheFailed;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Deletes the files of what the catalog has forgotten. Each is looked up once more under its lock, because a pull may
 * have brought it back; where a pull holds the lock, the file is the pull's.
 */
public final class ForgottenFiles {
    private final CacheFiles files;
    private final ImageCatalog catalog;
    private final ReclaimedSpace reclaimed;

    public ForgottenFiles(CacheFiles files, ImageCatalog catalog, ReclaimedSpace reclaimed) {
        this.files = files;
        this.catalog = catalog;
        this.reclaimed = reclaimed;
    }

    /**
     * Deletes what the catalog has just forgotten.
     *
     * @throws ImageCacheFailed if the cache fails
     */
    public static void discard(ForgottenContent forgotten, CacheFiles files, ImageCatalog catalog) {
        try {
            new ForgottenFiles(files, catalog, new ReclaimedSpace()).delete(forgotten);
        } catch (IOException e) {
            throw new ImageCacheFailed(files.root(), e);
        } catch (InterruptedException e) {
            // The rows are gone, which is what was asked for; files without rows are collected later.
            Thread.currentThread().interrupt();
        }
    }

    public void delete(ForgottenContent forgotten) throws IOException, InterruptedException {
        for (Digest manifest : forgotten.manifests()) {
            underLocks(
                    List.of(files.manifestLock(manifest)),
                    () -> catalog.hasManifest(manifest),
                    () -> deleteManifest(files, manifest, reclaimed));
        }
        for (Digest config : forgotten.configs()) {
            underLocks(
                    List.of(files.configLock(config)),
                    () -> catalog.hasConfig(config),
                    () -> deleteConfig(files, config, reclaimed));
        }
        for (Digest layer : forgotten.layers()) {
            underLocks(
                    List.of(files.layerLock(layer)),
                    () -> catalog.hasLayer(layer),
                    () -> deleteLayer(files, layer, reclaimed));
        }
    }

    /** Counts what {@link #delete} would delete if no process is at work on it; for what is {@link ReclaimedSpace#onPaper}. */
    static void count(ForgottenContent forgotten, CacheFiles files, ReclaimedSpace onPaper) throws IOException {
        for (Digest manifest : forgotten.manifests()) {
            deleteManifest(files, manifest, onPaper);
        }
        for (Digest config : forgotten.configs()) {
            deleteConfig(files, config, onPaper);
        }
        for (Digest layer : forgotten.layers()) {
            deleteLayer(files, layer, onPaper);
        }
    }

    private static void deleteManifest(CacheFiles files, Digest manifest, ReclaimedSpace reclaimed) throws IOException {
        reclaimed.delete(CacheDirectory.VMDK, files.vmdk(manifest));
        reclaimed.delete(CacheDirectory.FSMETA, files.fsmeta(manifest));
        reclaimed.delete(CacheDirectory.MANIFESTS, files.document(manifest));
    }

    private static void deleteConfig(CacheFiles files, Digest config, ReclaimedSpace reclaimed) throws IOException {
        reclaimed.delete(CacheDirectory.MANIFESTS, files.document(config));
    }

    private static void deleteLayer(CacheFiles files, Digest layer, ReclaimedSpace reclaimed) throws IOException {
        reclaimed.delete(CacheDirectory.LAYERS, files.layer(layer));
        reclaimed.delete(CacheDirectory.BLOBS, files.blob(layer));
    }

    @FunctionalInterface
    interface Deletion {
        void run() throws IOException;
    }

    /** Waits for no lock: who holds one is making the file. */
    static void underLocks(List<Path> lockFiles, BooleanSupplier used, Deletion deletion)
            throws IOException, InterruptedException {
        Deque<CacheLock> locks = new ArrayDeque<>();
        try {
            for (Path file : lockFiles) {
                Optional<CacheLock> lock = CacheLock.take(file, Deadline.after(Duration.ZERO));
                if (lock.isEmpty()) {
                    return;
                }
                locks.push(lock.get());
            }
            if (!used.getAsBoolean()) {
                deletion.run();
            }
        } finally {
            CacheLock.closeAll(locks);
        }
    }
}
