package dev.cloche.image;

import dev.cloche.base.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Deletes the files of what the catalog has forgotten. Each is looked up once more under its lock, because a pull may
 * have brought it back; where a pull holds the lock, the file is the pull's.
 */
final class UnusedFiles {
    private final CacheFiles files;
    private final ImageCatalog catalog;

    UnusedFiles(CacheFiles files, ImageCatalog catalog) {
        this.files = files;
        this.catalog = catalog;
    }

    void delete(ImageCatalog.Unused unused) throws IOException, InterruptedException {
        for (Digest manifest : unused.manifests()) {
            delete(
                    files.manifestLock(manifest),
                    () -> catalog.hasManifest(manifest),
                    files.vmdk(manifest),
                    files.fsmeta(manifest),
                    files.document(manifest));
        }
        for (Digest config : unused.configs()) {
            // A config is a small document that any pull writes again before it needs it, so it has no lock of its own.
            if (!catalog.hasConfig(config)) {
                Files.deleteIfExists(files.document(config));
            }
        }
        for (Digest layer : unused.layers()) {
            delete(files.layerLock(layer), () -> catalog.hasLayer(layer), files.layer(layer));
        }
    }

    private static void delete(Path lockFile, BooleanSupplier used, Path... unused)
            throws IOException, InterruptedException {
        Optional<CacheLock> lock = CacheLock.take(lockFile, Deadline.after(Duration.ZERO));
        if (lock.isEmpty()) {
            return;
        }
        try (CacheLock _ = lock.get()) {
            if (used.getAsBoolean()) {
                return;
            }
            for (Path file : unused) {
                Files.deleteIfExists(file);
            }
        }
    }
}
