package dev.cloche.image.store;

import dev.cloche.image.Digest;
import dev.cloche.image.layer.LayerFormat;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds orphans, which are files without rows: what processes have left that were killed between a file and its row, unfinished
 * files, and files of older layouts. Each was written under the lock of its content, so one whose lock is free, and that has no
 * row under it, has no owner. Names that no version of ours gives are left alone.
 */
public final class UnfinishedPullFiles {
    private static final Pattern FINAL = Pattern.compile("([0-9a-f]{64})(?:\\.v(\\d{1,4}))?\\.(erofs|vmdk|blob|json)");
    private static final Pattern TEMPORARY =
            Pattern.compile("\\.tmp-\\d+-(?:(layer|manifest)-)?([0-9a-f]{64})(?:\\..*)?");

    /** Has its name for the moment of its opening only. */
    private static final Pattern SPOOL = Pattern.compile("\\.tmp-\\d+-spool");

    private final CacheFiles files;
    private final ImageCatalog catalog;

    public UnfinishedPullFiles(CacheFiles files, ImageCatalog catalog) {
        this.files = files;
        this.catalog = catalog;
    }

    /**
     * Describes a file without a row, which is an orphan unless a process is at work on it.
     *
     * @param locks under which it may be deleted, in the order in which they are taken
     * @param used whether it has got a row, to be asked under the locks
     */
    record Orphan(CacheDirectory directory, Path file, List<Path> locks, BooleanSupplier used) {}

    /** Deletes the unfinished files of pulls that were killed, which may be as large as layers. Waits for no lock. */
    public void deleteUnfinished() throws IOException, InterruptedException {
        delete(find(CacheDirectory.TMP, CatalogDigests.NOTHING), new ReclaimedSpace());
    }

    /** Deletes every orphan whose locks are free. */
    void deleteAll(ReclaimedSpace reclaimed) throws IOException, InterruptedException {
        delete(all(), reclaimed);
    }

    /** Returns every file that has no row; some may be in the making. */
    List<Orphan> all() throws IOException {
        CatalogDigests known = catalog.knownContent();
        List<Orphan> orphans = new ArrayList<>();
        for (CacheDirectory directory : CacheDirectory.values()) {
            if (directory != CacheDirectory.LOCKS) {
                orphans.addAll(find(directory, known));
            }
        }
        return orphans;
    }

    private static void delete(List<Orphan> orphans, ReclaimedSpace reclaimed)
            throws IOException, InterruptedException {
        for (Orphan orphan : orphans) {
            ForgottenFiles.underLocks(
                    orphan.locks(), orphan.used(), () -> reclaimed.delete(orphan.directory(), orphan.file()));
        }
    }

    private List<Orphan> find(CacheDirectory directory, CatalogDigests known) throws IOException {
        List<Orphan> orphans = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(files.directory(directory))) {
            for (Path entry : entries) {
                orphan(directory, entry, known).ifPresent(orphans::add);
            }
        } catch (NoSuchFileException | NotDirectoryException nothingWasPulledYet) {
            return List.of();
        }
        return orphans;
    }

    private Optional<Orphan> orphan(CacheDirectory directory, Path file, CatalogDigests known) {
        String name = file.getFileName().toString();
        if (directory == CacheDirectory.TMP && SPOOL.matcher(name).matches()) {
            return Optional.of(new Orphan(directory, file, List.of(), UnfinishedPullFiles::neverUsed));
        }
        Matcher temporary = TEMPORARY.matcher(name);
        if (temporary.matches()) {
            return Optional.of(new Orphan(
                    directory,
                    file,
                    locks(directory, temporary.group(1), new Digest(temporary.group(2))),
                    UnfinishedPullFiles::neverUsed));
        }
        Matcher named = FINAL.matcher(name);
        if (!named.matches() || directory == CacheDirectory.TMP) {
            return Optional.empty();
        }
        Digest content = new Digest(named.group(1));
        boolean versioned = directory != CacheDirectory.MANIFESTS && directory != CacheDirectory.BLOBS;
        int version = named.group(2) == null ? 0 : Integer.parseInt(named.group(2));
        if (versioned && version != LayerFormat.VERSION) {
            // What a newer program has made is its own.
            return version < LayerFormat.VERSION
                    ? Optional.of(new Orphan(
                            directory, file, locks(directory, null, content), UnfinishedPullFiles::neverUsed))
                    : Optional.empty();
        }
        return known.has(directory, content)
                ? Optional.empty()
                : Optional.of(new Orphan(directory, file, locks(directory, null, content), used(directory, content)));
    }

    private List<Path> locks(CacheDirectory directory, @Nullable String kind, Digest content) {
        boolean layer = directory == CacheDirectory.TMP
                ? "layer".equals(kind)
                : directory == CacheDirectory.LAYERS || directory == CacheDirectory.BLOBS;
        if (layer) {
            return List.of(files.layerLock(content));
        }
        return directory == CacheDirectory.MANIFESTS
                ? List.of(files.manifestLock(content), files.configLock(content))
                : List.of(files.manifestLock(content));
    }

    private static boolean neverUsed() {
        return false;
    }

    private BooleanSupplier used(CacheDirectory directory, Digest content) {
        return switch (directory) {
            case LAYERS, BLOBS -> () -> catalog.hasLayer(content);
            case FSMETA, VMDK -> () -> catalog.hasManifest(content);
            case MANIFESTS -> () -> catalog.hasManifest(content) || catalog.hasConfig(content);
            case LOCKS, TMP -> UnfinishedPullFiles::neverUsed;
        };
    }
}
