package dev.cloche.image.store;

import dev.cloche.image.layer.FileFingerprint;
import dev.cloche.image.layer.FilePublication;
import dev.cloche.image.layer.LayerFormat;
import dev.cloche.image.store.StoredImage.StoredLayer;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Verifies that the files of the cache are what was written. Each is read and compared with its digest before its first use in a
 * boot of the host, because there is no telling whether the last boot was ended by a shutdown. After that its stamp is compared
 * at every use, which costs one system call, and the file is read again if that has changed.
 */
public final class CacheVerification {
    private final CacheFiles files;
    private final ImageCatalog catalog;

    public CacheVerification(CacheFiles files, ImageCatalog catalog) {
        this.files = files;
        this.catalog = catalog;
    }

    /** Reads no file, and so finds nothing usable whose stamp is not known. */
    public boolean isUsable(StoredImage image) {
        return isJoinUntouched(image)
                && image.layers().stream().allMatch(layer -> layer.file().isUntouched(files.layer(layer.diffId())));
    }

    /** Reads what is not known by its stamp; what is sound is recorded as such. */
    public boolean check(StoredImage image) throws IOException {
        boolean sound = true;
        for (StoredLayer layer : image.layers()) {
            sound &= check(layer).isPresent();
        }
        return sound && (isJoinUntouched(image) || checkJoin(image));
    }

    /** Checks one layer. Empty if it is damaged, else as it is known from now on. */
    public Optional<StoredLayer> check(StoredLayer layer) throws IOException {
        Path file = files.layer(layer.diffId());
        if (layer.file().isUntouched(file)) {
            return Optional.of(layer);
        }
        Optional<CheckedFile> found = checked(file, layer.file().written(), LayerFormat::read);
        Optional<StoredLayer> sound = found.map(now -> new StoredLayer(layer.diffId(), now));
        sound.ifPresent(catalog::layerChecked);
        return sound;
    }

    /** Of the files that join the layers. */
    private boolean isJoinUntouched(StoredImage image) {
        return image.fsmeta().isUntouched(files.fsmeta(image.manifest()))
                && image.vmdk().isUntouched(files.vmdk(image.manifest()));
    }

    private boolean checkJoin(StoredImage image) throws IOException {
        Optional<CheckedFile> fsmeta =
                checked(files.fsmeta(image.manifest()), image.fsmeta().written(), FilePublication::read);
        Optional<CheckedFile> vmdk =
                checked(files.vmdk(image.manifest()), image.vmdk().written(), FilePublication::read);
        if (fsmeta.isEmpty() || vmdk.isEmpty()) {
            return false;
        }
        catalog.manifestChecked(image.manifest(), fsmeta.get(), vmdk.get());
        return true;
    }

    public static boolean is(Path file, FileFingerprint recorded) throws IOException {
        return checked(file, recorded, FilePublication::read).isPresent();
    }

    static boolean isLayer(Path file, FileFingerprint recorded) throws IOException {
        return checked(file, recorded, LayerFormat::read).isPresent();
    }

    private interface Reader {
        FileFingerprint read(Path file) throws IOException;
    }

    /** The stamp is of before the reading, so a change meanwhile is seen by the next use. */
    private static Optional<CheckedFile> checked(Path file, FileFingerprint recorded, Reader reader)
            throws IOException {
        try {
            CheckedFile before = CheckedFile.now(recorded, file);
            return CacheFiles.hasSize(file, recorded.bytes())
                            && reader.read(file).equals(recorded)
                    ? Optional.of(before)
                    : Optional.empty();
        } catch (NoSuchFileException gone) {
            return Optional.empty();
        }
    }
}
