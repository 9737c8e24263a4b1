package dev.cloche.image.store;

import dev.cloche.image.ImagePruneReport;
import dev.cloche.image.ImagePruneRequest;
import dev.cloche.image.ImageReference;
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
import java.util.Set;

/**
 * Gives back the space of images without holders. One image is one transaction, so others wait for none of it, and one that is
 * pinned or used meanwhile stays.
 */
public final class ImagePruning {
    /** Less than any size: all goes that may. */
    private static final long NOTHING = -1;

    private final CacheFiles files;
    private final ImageCatalog catalog;
    private final ImageRemovals removals;
    private final Clock clock;

    public ImagePruning(CacheFiles files, ImageCatalog catalog, ImageRemovals removals, Clock clock) {
        this.files = files;
        this.catalog = catalog;
        this.removals = removals;
        this.clock = clock;
    }

    public ImagePruneReport prune(ImagePruneRequest request) throws IOException, InterruptedException {
        ReclaimedSpace reclaimed = new ReclaimedSpace();
        ForgottenFiles deletion = new ForgottenFiles(files, catalog, reclaimed);
        // First what has no use any more, so that no image has to go for its size.
        ForgottenContent unreferenced = removals.removeUnreferenced();
        deletion.delete(unreferenced);
        new UnfinishedPullFiles(files, catalog).deleteAll(reclaimed);
        Instant now = clock.instant();
        removals.forgetTheFuture(now);
        long keep = request.keepBytes().orElse(NOTHING);
        long size = request.keepBytes().isPresent() ? size(files.root()) : Long.MAX_VALUE;
        Removed removed = remove(now.minus(request.unusedFor()), size, keep, Set.of(), deletion, reclaimed);
        return report(removed.names(), unreferenced.manifests().size() + removed.manifests(), reclaimed);
    }

    /**
     * Removes names until the cache is no larger, and nothing else: what others are pulling just now has no names yet.
     *
     * @param spared names that stay in any case
     * @return those that went
     */
    List<ImageReference> shrink(long keepBytes, Set<ImageReference> spared) throws IOException, InterruptedException {
        long size = size(files.root());
        if (size <= keepBytes) {
            return List.of();
        }
        Instant now = clock.instant();
        removals.forgetTheFuture(now);
        ReclaimedSpace reclaimed = new ReclaimedSpace();
        ForgottenFiles deletion = new ForgottenFiles(files, catalog, reclaimed);
        return remove(now, size, keepBytes, spared, deletion, reclaimed).names();
    }

    private record Removed(List<ImageReference> names, int manifests) {}

    /** The least recently used first, until the size is small enough. */
    private Removed remove(
            Instant unusedSince,
            long sizeBefore,
            long keepBytes,
            Set<ImageReference> spared,
            ForgottenFiles deletion,
            ReclaimedSpace reclaimed)
            throws IOException, InterruptedException {
        long size = sizeBefore;
        int manifests = 0;
        List<ImageReference> gone = new ArrayList<>();
        for (ImageReference reference : removals.unpinned(unusedSince)) {
            if (size <= keepBytes) {
                break;
            }
            if (spared.contains(reference)) {
                continue;
            }
            Optional<ForgottenContent> unused = removals.removeUnpinned(reference, unusedSince);
            if (unused.isPresent()) {
                long before = reclaimed.bytes();
                deletion.delete(unused.get());
                size -= reclaimed.bytes() - before;
                manifests += unused.get().manifests().size();
                gone.add(reference);
            } else if (keepBytes != NOTHING) {
                // Another process may be making room too.
                size = size(files.root());
            }
        }
        return new Removed(gone, manifests);
    }

    /**
     * Returns what {@link #prune} would remove now, by the same statements in one transaction that is taken back. Changes
     * nothing, but lets writers of the catalog wait meanwhile.
     */
    public ImagePruneReport rehearse(ImagePruneRequest request) throws IOException, InterruptedException {
        ReclaimedSpace onPaper = ReclaimedSpace.onPaper();
        // Others do not see the transaction: what it forgets is no orphan, and not counted twice.
        new UnfinishedPullFiles(files, catalog).deleteAll(onPaper);
        Instant now = clock.instant();
        Instant unusedSince = now.minus(request.unusedFor());
        long size = request.keepBytes().isPresent() ? size(files.root()) : Long.MAX_VALUE;
        return removals.rehearse(transaction -> {
            ImageRemovals.forgetTheFuture(transaction, now);
            ForgottenContent unreferenced = ImageRemovals.removeUnreferenced(transaction);
            ForgottenFiles.count(unreferenced, files, onPaper);
            int manifests = unreferenced.manifests().size();
            List<ImageReference> gone = new ArrayList<>();
            for (ImageReference reference : ImageRemovals.unpinned(transaction, unusedSince)) {
                if (size - onPaper.bytes() <= request.keepBytes().orElse(NOTHING)) {
                    break;
                }
                // It is there: the list is of the same transaction.
                ForgottenContent unused = ImageRemovals.removeUnpinned(transaction, reference, unusedSince)
                        .orElseThrow();
                ForgottenFiles.count(unused, files, onPaper);
                manifests += unused.manifests().size();
                gone.add(reference);
            }
            return report(gone, manifests, onPaper);
        });
    }

    private static ImagePruneReport report(List<ImageReference> gone, int manifests, ReclaimedSpace reclaimed) {
        return new ImagePruneReport(
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
