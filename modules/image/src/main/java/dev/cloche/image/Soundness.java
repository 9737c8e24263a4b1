package dev.cloche.image;

import dev.cloche.image.StoredImage.StoredLayer;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Whether the files of the cache are what was written. Within one boot of the host a file that has its name and its
 * length is; after another boot nobody can tell whether the last one was ended by a shutdown, so each file is read and
 * compared with its digest once before it is used again.
 */
final class Soundness {
    private final CacheFiles files;
    private final ImageCatalog catalog;

    Soundness(CacheFiles files, ImageCatalog catalog) {
        this.files = files;
        this.catalog = catalog;
    }

    /** Looks only at names and lengths, and at nothing that was not checked in this boot. */
    boolean isUsable(StoredImage image) {
        return image.allChecked() && files.isComplete(image);
    }

    /** Reads what has not been checked in this boot; what is sound is recorded as such. */
    boolean check(StoredImage image) throws IOException {
        if (!files.isComplete(image)) {
            return false;
        }
        boolean sound = true;
        for (StoredLayer layer : image.layers()) {
            sound &= check(layer);
        }
        if (!image.checked()) {
            if (is(files.fsmeta(image.manifest()), image.fsmeta()) && is(files.vmdk(image.manifest()), image.vmdk())) {
                catalog.manifestChecked(image);
            } else {
                sound = false;
            }
        }
        return sound;
    }

    /** The same for one layer. */
    boolean check(StoredLayer layer) throws IOException {
        Path file = files.layer(layer.diffId());
        if (layer.checked()) {
            return CacheFiles.hasSize(file, layer.file().bytes());
        }
        if (!isLayer(file, layer.file())) {
            return false;
        }
        catalog.layerChecked(layer);
        return true;
    }

    static boolean is(Path file, StoredFile recorded) throws IOException {
        return is(file, recorded, Publication::read);
    }

    static boolean isLayer(Path file, StoredFile recorded) throws IOException {
        return is(file, recorded, LayerFormat::read);
    }

    private interface Reader {
        StoredFile read(Path file) throws IOException;
    }

    private static boolean is(Path file, StoredFile recorded, Reader reader) throws IOException {
        try {
            return CacheFiles.hasSize(file, recorded.bytes())
                    && reader.read(file).equals(recorded);
        } catch (NoSuchFileException gone) {
            return false;
        }
    }
}
