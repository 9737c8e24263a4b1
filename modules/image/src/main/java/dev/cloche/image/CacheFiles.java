package dev.cloche.image;

import dev.cloche.base.DurableFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The names in the cache directory. What has one of the final names is complete: it was written under {@code tmp},
 * forced to disk and renamed.
 */
final class CacheFiles {
    private final Path root;

    private CacheFiles(Path root) {
        this.root = root;
    }

    /** Creates nothing: a warm start only looks at files that exist. */
    static CacheFiles in(Path root) {
        return new CacheFiles(root.toAbsolutePath());
    }

    void create() throws IOException {
        for (String directory : new String[] {"layers", "fsmeta", "vmdk", "manifests", "locks", "tmp"}) {
            DurableFiles.ensureDirectory(root.resolve(directory));
        }
    }

    Path root() {
        return root;
    }

    Path layer(Digest diffId) {
        return root.resolve("layers").resolve(diffId.hex() + ".erofs");
    }

    Path fsmeta(Digest manifest) {
        return root.resolve("fsmeta").resolve(manifest.hex() + ".erofs");
    }

    Path vmdk(Digest manifest) {
        return root.resolve("vmdk").resolve(manifest.hex() + ".vmdk");
    }

    /** A manifest or config, byte for byte. */
    Path document(Digest digest) {
        return root.resolve("manifests").resolve(digest.hex() + ".json");
    }

    Path layerLock(Digest diffId) {
        return root.resolve("locks").resolve("layer-" + diffId.hex());
    }

    Path manifestLock(Digest manifest) {
        return root.resolve("locks").resolve("manifest-" + manifest.hex());
    }

    /** A new empty file of mode 0600 from which {@link #publish} makes {@code target}. */
    Path temporaryFor(Path target) throws IOException {
        return DurableFiles.temporaryBeside(temporaries().resolve(target.getFileName()));
    }

    /** Where {@link #temporaryFor} makes its files. */
    Path temporaries() {
        return root.resolve("tmp");
    }

    /** Forces a written file to disk and gives it its name; returns its length. */
    long publish(Path temporary, Path target) throws IOException {
        long size;
        try (FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE)) {
            channel.force(true);
            size = channel.size();
        }
        DurableFiles.publish(temporary, target);
        return size;
    }

    /** Whether the file is there with the length that was recorded. */
    static boolean hasSize(Path file, long bytes) {
        try {
            return Files.size(file) == bytes;
        } catch (NoSuchFileException absent) {
            return false;
        } catch (IOException e) {
            throw new ImageCacheFailed(file, e);
        }
    }

    boolean isComplete(StoredImage image) {
        return hasSize(vmdk(image.manifest()), image.vmdkBytes())
                && hasSize(fsmeta(image.manifest()), image.fsmetaBytes())
                && image.layers().stream().allMatch(layer -> hasSize(layer(layer.diffId()), layer.erofsBytes()));
    }
}
