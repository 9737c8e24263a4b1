package dev.cloche.image.transfer;

import dev.cloche.base.Deadline;
import dev.cloche.image.BadReference;
import dev.cloche.image.CommitFailed;
import dev.cloche.image.CorruptArchiveException;
import dev.cloche.image.Digest;
import dev.cloche.image.ImageCacheFailed;
import dev.cloche.image.ImageDamaged;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageInterrupted;
import dev.cloche.image.ImageLimits;
import dev.cloche.image.ImageNotFound;
import dev.cloche.image.ImageReference;
import dev.cloche.image.ImageStoreOptions;
import dev.cloche.image.ImageSuggestions;
import dev.cloche.image.LayerChanges;
import dev.cloche.image.PullEvent;
import dev.cloche.image.PullFailed;
import dev.cloche.image.PullListener;
import dev.cloche.image.PullPolicy;
import dev.cloche.image.manifest.Descriptor;
import dev.cloche.image.manifest.ImageSource;
import dev.cloche.image.registry.RegistrySource;
import dev.cloche.image.store.CacheFiles;
import dev.cloche.image.store.CacheLimit;
import dev.cloche.image.store.CacheVerification;
import dev.cloche.image.store.ImageCatalog;
import dev.cloche.image.store.RecordedImage;
import dev.cloche.image.store.StoredImage;
import dev.cloche.linux.SystemCallException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Fetches images from where they are: a bundled layout, a registry, an archive. */
public final class ImageFetcher {
    private final CacheFiles files;
    private final ImageCatalog catalog;
    private final CacheVerification verification;
    private final ImageStoreOptions options;
    private final ImagePuller puller;
    private final CacheLimit limit;

    public ImageFetcher(
            CacheFiles files,
            ImageCatalog catalog,
            CacheVerification verification,
            CacheLimit limit,
            ImageStoreOptions options) {
        this.limit = limit;
        this.files = files;
        this.catalog = catalog;
        this.verification = verification;
        this.options = options;
        this.puller = new ImagePuller(files, catalog, options);
    }

    /**
     * Returns whether there is such an image and its files are as they were written, of which those not known to be are
     * read.
     */
    public boolean isIntact(Optional<StoredImage> image) {
        return image.isPresent() && inCache(() -> verification.check(image.get()));
    }

    /**
     * Brings what the name means now.
     *
     * @throws BadReference if it is a digest alone
     */
    public RecordedImage fetchAgain(
            ImageReference reference, Optional<ImageHolder> holder, PullListener listener, Deadline deadline) {
        if (reference.isDigestAlone()) {
            throw new BadReference(
                    reference.toString(), "a digest alone says of no registry; to pull, write NAME@" + reference);
        }
        return fetchNew(reference, PullPolicy.ALWAYS, holder, listener, deadline);
    }

    /** Where no registry can be reached, the name may be mistyped, and one that is here be meant. */
    private RecordedImage fetchNew(
            ImageReference reference,
            PullPolicy policy,
            Optional<ImageHolder> holder,
            PullListener listener,
            Deadline deadline) {
        try {
            return limited(fetch(reference, Optional.empty(), policy, holder, listener, deadline), listener);
        } catch (PullFailed failed) {
            throw failed.reason() == PullFailed.Reason.UNREACHABLE
                    ? failed.orMeant(ImageSuggestions.of(reference, namesHere()))
                    : failed;
        }
    }

    /** Returns those of bundled images, too: they need no registry, also if they were never used. */
    private List<ImageReference> namesHere() {
        return Stream.concat(
                        catalog.listing().names().stream(),
                        options.bundled().stream()
                                .flatMap(layout -> LayoutSource.names(layout, options.limits()).stream()))
                .distinct()
                .toList();
    }

    private RecordedImage limited(RecordedImage brought, PullListener listener) {
        inCache(() -> {
            limit.hold(List.of(brought.image().manifest()), listener);
            return brought;
        });
        return brought;
    }

    /**
     * Brings what is not here, and makes again what is damaged: a repair brings back what the name meant.
     *
     * @param unsound what the name means here, with a file that is missing or damaged
     * @param policy whether a registry may be asked
     * @param holder who holds the image from then on
     * @throws ImageNotFound if there is none here and none may be asked
     * @throws ImageDamaged if it could not be made again
     */
    public RecordedImage fetchMissing(
            ImageReference reference,
            Optional<StoredImage> unsound,
            PullPolicy policy,
            Optional<ImageHolder> holder,
            PullListener listener,
            Deadline deadline) {
        // Of what was removed meanwhile the row went first.
        Optional<Digest> meant =
                unsound.isPresent() ? catalog.find(reference).map(StoredImage::manifest) : Optional.empty();
        if (meant.isPresent()) {
            return mending(reference, listener, () -> fetch(reference, meant, policy, holder, listener, deadline));
        }
        if (policy == PullPolicy.NEVER || reference.isDigestAlone()) {
            throw ImageNotFound.withoutPull(reference, catalog.listing().names());
        }
        return fetchNew(reference, policy, holder, listener, deadline);
    }

    /** @param meant the manifest to bring, where it is not to be found out anew what the name means */
    private RecordedImage fetch(
            ImageReference reference,
            Optional<Digest> meant,
            PullPolicy policy,
            Optional<ImageHolder> holder,
            PullListener listener,
            Deadline deadline) {
        options.requireRoom().run();
        return translating(registryOf(reference), () -> {
            PullListener heard = new SynchronizedListener(listener);
            try (ImageSource source = policy == PullPolicy.NEVER
                    ? bundled(reference)
                            .<ImageSource>map(layout -> layout)
                            .orElseGet(() -> new OfflineSource(registryOf(reference), "a pull was not allowed"))
                    : source(reference, heard, deadline)) {
                // A bundled layout keeps no history: its name means what is there now.
                ImageReference wanted = source instanceof LayoutSource
                        ? reference
                        : meant.map(reference::at).orElse(reference);
                return puller.pull(source, reference, wanted, holder, heard, deadline);
            }
        });
    }

    /**
     * Brings back an image that a holder has, by its digest. A bundled layout may mean another one by that name now; then only
     * a registry could have it.
     *
     * @throws ImageDamaged if it could not be made again
     */
    RecordedImage fetchLost(
            ImageReference reference, StoredImage held, ImageHolder holder, PullListener listener, Deadline deadline) {
        options.requireRoom().run();
        ImageReference exact = origin(reference, held.manifest());
        boolean named = catalog.find(reference)
                .filter(meant -> meant.manifest().equals(held.manifest()))
                .isPresent();
        // What has lost its name gets none by a repair.
        ImageReference as = named ? reference : ImageReference.of(held.manifest());
        return mending(
                reference,
                listener,
                () -> translating(registryOf(reference), () -> {
                    PullListener heard = new SynchronizedListener(listener);
                    try (ImageSource source = bundled(reference)
                            .filter(layout -> layout.means(held.manifest()))
                            .<ImageSource>map(layout -> layout)
                            .orElseGet(() -> source(exact, heard, deadline))) {
                        return puller.pull(source, as, exact, Optional.of(holder), heard, deadline);
                    }
                }));
    }

    /** Says what was wrong with the image that is here, also if its repair fails. */
    private static RecordedImage mending(
            ImageReference reference, PullListener listener, Supplier<RecordedImage> repair) {
        try {
            RecordedImage mended = repair.get();
            listener.on(new PullEvent.Warning("a file of the image was damaged here and has been made again"));
            return mended;
        } catch (PullFailed failed) {
            throw failed.reason().isOfThisHost() ? failed : new ImageDamaged(reference, failed);
        } catch (CorruptArchiveException unusable) {
            throw new ImageDamaged(reference, unusable);
        }
    }

    /** Loads all images of an archive, or none: the first that fails ends it, and what is recorded by then stays. */
    public List<RecordedImage> load(
            Path archive, Optional<ImageReference> name, PullListener listener, Deadline deadline) {
        options.requireRoom().run();
        return translating(archive.toString(), () -> {
            ImageLimits limits = options.limits();
            List<RecordedImage> loaded = new ArrayList<>();
            try (ImageArchives.Opened opened = new ImageArchives(files, limits).open(archive, name)) {
                for (Map.Entry<ImageReference, Descriptor> image :
                        opened.images().entrySet()) {
                    try (ImageSource source = new LayoutSource(opened.files(), image.getValue(), limits, false)) {
                        ImageReference reference = image.getKey();
                        loaded.add(puller.pull(
                                source,
                                reference,
                                reference.at(image.getValue().digest()),
                                Optional.empty(),
                                new SynchronizedListener(listener),
                                deadline));
                    }
                }
            }
            limit.hold(loaded.stream().map(image -> image.image().manifest()).toList(), listener);
            return loaded;
        });
    }

    /**
     * Makes an image of another one and what has changed in it.
     *
     * @param base the manifest of an image that is held meanwhile
     */
    public RecordedImage commit(
            Digest base,
            ImageReference name,
            String message,
            Consumer<LayerChanges> changes,
            PullListener listener,
            Deadline deadline) {
        options.requireRoom().run();
        ImageCommits commits = new ImageCommits(files, catalog, limit, options);
        try {
            return translating("a sandbox", () -> commits.commit(base, name, message, changes, listener, deadline));
        } catch (PullFailed failed) {
            throw new CommitFailed(failed.what(), failed.remedy(), failed);
        }
    }

    public ImageSource source(ImageReference reference, PullListener listener, Deadline deadline) {
        return bundled(reference).<ImageSource>map(layout -> layout).orElseGet(() -> {
            ImageReference origin = reference.isDigestAlone()
                    ? origin(reference, reference.digest().orElseThrow())
                    : reference;
            return origin.isDigestAlone()
                    ? new OfflineSource(registryOf(origin), "it has no name that says which that is")
                    : new RegistrySource(origin, options, deadline, listener);
        });
    }

    /** By what its registry knows an image: its digest there, where a name says which registry that is. */
    private ImageReference origin(ImageReference reference, Digest manifest) {
        Optional<ImageReference> name = reference.isDigestAlone()
                ? catalog.listing().namesOf(manifest).stream().findFirst()
                : Optional.of(reference);
        return name.map(known -> known.at(manifest)).orElse(ImageReference.of(manifest));
    }

    private Optional<LayoutSource> bundled(ImageReference reference) {
        return options.bundled().stream()
                .map(layout -> LayoutSource.find(layout, reference, options.limits()))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static String registryOf(ImageReference reference) {
        return reference.isDigestAlone() ? "its registry" : reference.registry();
    }

    @FunctionalInterface
    public interface Work<T> {
        T run() throws IOException, InterruptedException;
    }

    /** Does work on what is here, of which no pull has failed. */
    public <T> T inCache(Work<T> work) {
        return inCache(files.root(), work);
    }

    public static <T> T inCache(Path cache, Work<T> work) {
        try {
            return work.run();
        } catch (ClosedByInterruptException | InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ImageInterrupted(e);
        } catch (IOException e) {
            throw new ImageCacheFailed(cache, e);
        }
    }

    private <T> T translating(String from, Work<T> work) {
        try {
            return work.run();
        } catch (ClosedByInterruptException | InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PullFailed(PullFailed.Reason.GAVE_UP, from, OptionalInt.empty(), "it was interrupted", e);
        } catch (IOException e) {
            if (isForWantOfSpace(e)) {
                throw new PullFailed(
                        PullFailed.Reason.NO_SPACE,
                        from,
                        OptionalInt.empty(),
                        "there is no space left in " + files.root(),
                        e);
            }
            throw new ImageCacheFailed(files.root(), e);
        }
    }

    /** The JDK has no type for ENOSPC and EDQUOT, only their texts. */
    private static boolean isForWantOfSpace(IOException e) {
        String message = e.getMessage();
        return (e.getCause() instanceof SystemCallException call && call.isForWantOfSpace())
                || (message != null && (message.contains("No space left") || message.contains("quota exceeded")));
    }
}
