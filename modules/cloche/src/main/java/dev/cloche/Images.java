package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.image.ImageDetails;
import dev.cloche.image.ImagePruneReport;
import dev.cloche.image.ImagePruneRequest;
import dev.cloche.image.ImageReference;
import dev.cloche.image.ImageStore;
import dev.cloche.image.ImageSummary;
import dev.cloche.image.LocalImage;
import dev.cloche.image.PullListener;
import dev.cloche.image.PullPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The images on this host. Safe for use from several threads; several processes may use one state root at once.
 *
 * <pre>{@code
 * Images images = cloche.images();
 * images.pull("debian:12");
 * images.tag("debian:12", "base:tested");
 * images.save(List.of("base:tested"), Path.of("base.tar"), PullListener.none());
 * System.out.println(images.prune(Duration.ofDays(30)).bytes() + " bytes are free again");
 * }</pre>
 *
 * <p>References are as in Docker. An image that is here may also be meant by the digest of its manifest, or the beginning of
 * it: {@code sha256:} and at least 6 digits. All errors are {@link dev.cloche.base.ClocheException}s.
 */
public final class Images {
    private static final String DIGEST = "sha256:";

    private final Rooms rooms;
    private final ImageStore store;

    Images(Rooms rooms) {
        this.rooms = rooms;
        store = rooms.images();
    }

    /** Returns every name, the newest first, and then the images that are used and have no name any more. */
    public List<LocalImage> list() {
        return store.listed();
    }

    /** Returns a whole digest in place of its beginning; any other text as it is. */
    static String exact(ImageStore store, String image) {
        return image.startsWith(DIGEST) ? store.resolve(image).toString() : image;
    }

    LocalImage local(ImageSummary image) {
        return new LocalImage(image, store.holdersOf(image.manifest()));
    }

    /**
     * Fetches an image from its registry, as far as it is not here, and makes it ready to boot. The registry is always
     * asked, so a tag that has moved means the new image afterwards.
     *
     * @throws dev.cloche.base.ClocheException if the reference is malformed, or the image cannot be fetched or used;
     *     layers that are complete by then are kept for the next try
     */
    public LocalImage pull(String image) {
        return pull(image, PullListener.none());
    }

    /** Does what {@link #pull(String)} does, telling {@code listener} how far it is. */
    public LocalImage pull(String image, PullListener listener) {
        return local(store.pull(ImageReference.parse(image), PullPolicy.ALWAYS, listener, Deadline.none()));
    }

    /**
     * Returns everything that is known of an image.
     *
     * @throws dev.cloche.base.ClocheException if it is not here
     */
    public ImageDetails inspect(String image) {
        return store.inspect(store.resolve(image));
    }

    /** Returns the digest of the manifest that a name means on this host. */
    String digest(String image) {
        return store.get(store.resolve(image)).manifest().toString();
    }

    /**
     * Gives an image another name; a name that means another image is moved.
     *
     * @throws dev.cloche.base.ClocheException if {@code existing} is not here
     */
    public LocalImage tag(String existing, String name) {
        return local(store.tag(store.resolve(existing), ImageReference.parse(name)));
    }

    /**
     * Removes a name. With its last name goes the image, and with it each layer that no other image has. A digest means the
     * only name of its image, and with force all of them.
     *
     * @param force whether the name goes although a sandbox uses the image, which then goes with the last that uses it
     * @throws dev.cloche.base.ClocheException if it is not here, in use (the message names who uses it), or meant by its digest
     *     and has several names
     */
    public void remove(String image, boolean force) {
        store.remove(store.resolve(image), force);
    }

    /**
     * Removes the images that no sandbox uses, and files that belong to no image.
     *
     * @param unusedFor how long an image must not have been pulled or started; zero for all
     */
    public ImagePruneReport prune(Duration unusedFor) {
        return prune(new ImagePruneRequest(unusedFor, OptionalLong.empty()));
    }

    /**
     * Removes the least recently used of the images that no sandbox uses, until the rest is small enough.
     *
     * @param keepBytes size of all files of the cache that may stay
     * @param unusedFor as in {@link #prune(Duration)}
     */
    public ImagePruneReport prune(Duration unusedFor, long keepBytes) {
        return prune(new ImagePruneRequest(unusedFor, OptionalLong.of(keepBytes)));
    }

    private ImagePruneReport prune(ImagePruneRequest request) {
        ImagePruneReport report = store.prune(request);
        rooms.countStateDisk();
        return report;
    }

    /** Returns what {@link #prune(Duration)} would remove now; removes nothing. */
    public ImagePruneReport prunePlan(Duration unusedFor) {
        return store.prunePlan(new ImagePruneRequest(unusedFor, OptionalLong.empty()));
    }

    /** Returns what {@link #prune(Duration, long)} would remove now; removes nothing. */
    public ImagePruneReport prunePlan(Duration unusedFor, long keepBytes) {
        return store.prunePlan(new ImagePruneRequest(unusedFor, OptionalLong.of(keepBytes)));
    }

    /** Does what {@link #load(Path, PullListener)} does, telling no listener. */
    public List<LocalImage> load(Path archive) {
        return load(archive, PullListener.none());
    }

    /**
     * Takes images out of an archive of {@code docker save} or of {@link #save}, plain or compressed by gzip or zstd, or
     * out of an OCI layout.
     *
     * @throws dev.cloche.base.ClocheException if it is none, is damaged, or does not say what an image is called; of an
     *     image that cannot be loaded nothing is kept
     */
    public List<LocalImage> load(Path archive, PullListener listener) {
        return load(archive, Optional.empty(), listener);
    }

    /** Does what {@link #load(Path, PullListener)} does, for an archive with one image, which gets this name. */
    public LocalImage load(Path archive, String name, PullListener listener) {
        return load(archive, Optional.of(ImageReference.parse(name)), listener).getFirst();
    }

    private List<LocalImage> load(Path archive, Optional<ImageReference> name, PullListener listener) {
        return store.load(archive, name, listener, Deadline.none()).stream()
                .map(this::local)
                .toList();
    }

    /**
     * Writes images into one archive, an OCI layout that Docker loads too. An image has the same digest wherever the
     * archive is loaded. Layers that were pulled are fetched from their registry again, because they are not kept in the
     * form in which they came; those that were loaded are.
     *
     * @param archive a file that does not exist yet
     * @throws dev.cloche.base.ClocheException if an image is not here, there is such a file, or a layer is not to be had
     */
    public void save(List<String> images, Path archive, PullListener listener) {
        store.save(images.stream().map(store::resolve).toList(), archive, listener, Deadline.none());
    }
}
