package dev.cloche.image;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Gives back the space of images that nobody holds. One image is one transaction, so others wait for none of it, and one
 * that is pinned or used meanwhile stays.
 */
final class ImagePruning {
    private final CacheFiles files;
    private final ImageCatalog catalog;
    private final ImageRemovals removals;
    private final Clock clock;

    ImagePruning(CacheFiles files, ImageCatalog catalog, ImageRemovals removals, Clock clock) {
        this.files = files;
        this.catalog = catalog;
        this.removals = removals;
        this.clock = clock;
    }

    PruneReport prune(PruneRequest request) throws IOException, InterruptedException {
        Reclaimed reclaimed = new Reclaimed();
        UnusedFiles deletion = new UnusedFiles(files, catalog, reclaimed);
        // First what nobody can use, so that no image has to go for its size.
        Unused unreferenced = removals.removeUnreferenced();
        deletion.delete(unreferenced);
        new OrphanFiles(files, catalog).deleteAll(reclaimed);
        Instant unusedSince = clock.instant().minus(request.unusedFor());
        long size = request.keepBytes().isPresent() ? size(files.root()) : Long.MAX_VALUE;
        int manifests = unreferenced.manifests().size();
        List<ImageReference> gone = new ArrayList<>();
        for (ImageReference reference : removals.unpinned(unusedSince)) {
            if (size <= request.keepBytes().orElse(-1)) {
                break;
            }
            Optional<Unused> unused = removals.removeUnpinned(reference, unusedSince);
            if (unused.isPresent()) {
                long before = reclaimed.bytes();
                deletion.delete(unused.get());
                size -= reclaimed.bytes() - before;
                manifests += unused.get().manifests().size();
                gone.add(reference);
            }
        }
        return report(gone, manifests, reclaimed);
    }

    /**
     * What {@link #prune} would remove now, by the same statements in one transaction that is taken back. Changes nothing,
     * but lets writers of the catalog wait meanwhile.
     */
    PruneReport rehearse(PruneRequest request) throws IOException, InterruptedException {
        Reclaimed onPaper = Reclaimed.onPaper();
        // Others do not see the transaction: what it forgets is no orphan, and not counted twice.
        new OrphanFiles(files, catalog).deleteAll(onPaper);
        Instant unusedSince = clock.instant().minus(request.unusedFor());
        long size = request.keepBytes().isPresent() ? size(files.root()) : Long.MAX_VALUE;
        return removals.rehearse(session -> {
            Unused unreferenced = ImageRemovals.removeUnreferenced(session);
            UnusedFiles.count(unreferenced, files, onPaper);
            int manifests = unreferenced.manifests().size();
            List<ImageReference> gone = new ArrayList<>();
            for (ImageReference reference : ImageRemovals.unpinned(session, unusedSince)) {
                if (size - onPaper.bytes() <= request.keepBytes().orElse(-1)) {
                    break;
                }
                Optional<Unused> unused = ImageRemovals.removeUnpinned(session, reference, unusedSince);
                if (unused.isPresent()) {
                    UnusedFiles.count(unused.get(), files, onPaper);
                    manifests += unused.get().manifests().size();
                    gone.add(reference);
                }
            }
            return report(gone, manifests, onPaper);
        });
    }

    private static PruneReport report(List<ImageReference> gone, int manifests, Reclaimed reclaimed) {
        return new PruneReport(
                gone,
                manifests,
                reclaimed.files(CacheDirectory.LAYERS),
                reclaimed.files(CacheDirectory.FSMETA),
                reclaimed.files(CacheDirectory.VMDK),
                reclaimed.bytes());
    }

    /** Of all files; those that vanish meanwhile count nothing. */
    private static long size(Path root) throws IOException {
        long[] bytes = new long[1];
        if (Files.isDirectory(root)) {
            Files.walkFileTree(root, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    bytes[0] += attributes.size();
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException vanished) {
                    return FileVisitResult.CONTINUE;
                }
            });
        }
        return bytes[0];
    }
}
