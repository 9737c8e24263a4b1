package dev.cloche.image.store;

import dev.cloche.base.DurableFiles;
import dev.cloche.image.Digest;
import dev.cloche.image.ImageCacheFailed;
import dev.cloche.image.layer.LayerFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The names in the cache directory. What has one of the final names is complete: it was written under {@code tmp},
 * forced to disk and renamed. Names of what we make ourselves bear the version of its form, so that a program with
 * another form makes its own.
 */
public final class CacheFiles {
    /** Of locks for each kind of content. More would collide less, and these are never deleted. */
    private static final int LOCK_DIGITS = 2;

    private final Path root;

    private CacheFiles(Path root) {
        this.root = root;
    }

    /** Creates nothing: a warm start only looks at files that exist. */
    public static CacheFiles in(Path root) {
        return new CacheFiles(root.toAbsolutePath());
    }

    public void create() throws IOException {
        for (CacheDirectory directory : CacheDirectory.values()) {
            DurableFiles.ensureDirectory(directory(directory));
        }
    }

    public Path root() {
        return root;
    }

    public Path directory(CacheDirectory directory) {
        return root.resolve(directory.directoryName());
    }

    public Path layer(Digest diffId) {
        return directory(CacheDirectory.LAYERS).resolve(diffId.hex() + LayerFormat.SUFFIX + ".erofs");
    }

    /** Returns the layer as it was loaded from an archive, compressed or not. Pulled layers have none: a registry has it. */
    public Path blob(Digest diffId) {
        return directory(CacheDirectory.BLOBS).resolve(diffId.hex() + ".blob");
    }

    public Path fsmeta(Digest manifest) {
        return directory(CacheDirectory.FSMETA).resolve(manifest.hex() + LayerFormat.SUFFIX + ".erofs");
    }

    public Path vmdk(Digest manifest) {
        return directory(CacheDirectory.VMDK).resolve(manifest.hex() + LayerFormat.SUFFIX + ".vmdk");
    }

    /** Returns a manifest or config, byte for byte. */
    public Path document(Digest digest) {
        return directory(CacheDirectory.MANIFESTS).resolve(digest.hex() + ".json");
    }

    public Path layerLock(Digest diffId) {
        return lock("layer", diffId);
    }

    public Path manifestLock(Digest manifest) {
        return lock("manifest", manifest);
    }

    public Path configLock(Digest config) {
        return lock("config", config);
    }

    /**
     * Contents whose digests begin alike share a lock: it costs a wait too short to notice, and there is a bounded number of lock
     * files, of which none ever has to be deleted.
     */
    private Path lock(String kind, Digest content) {
        String stripe = content.hex().substring(0, LOCK_DIGITS);
        return directory(CacheDirectory.LOCKS).resolve(kind + "-" + stripe);
    }

    /** Returns a new empty file of mode 0600, to be written under the layer's lock. */
    public Path temporaryLayer(Digest diffId) throws IOException {
        return temporary("layer-" + diffId.hex());
    }

    /** Returns a new empty file of mode 0600, to be written under the manifest's lock. */
    public Path temporaryFsmeta(Digest manifest) throws IOException {
        return temporary("manifest-" + manifest.hex());
    }

    private Path temporary(String name) throws IOException {
        return DurableFiles.temporaryBeside(directory(CacheDirectory.TMP).resolve(name));
    }

    /** Returns whether the file is there with the length that was recorded. */
    public static boolean hasSize(Path file, long bytes) {
        try {
            return Files.size(file) == bytes;
        } catch (NoSuchFileException absent) {
            return false;
        } catch (IOException e) {
            throw new ImageCacheFailed(file, e);
        }
    }
}
