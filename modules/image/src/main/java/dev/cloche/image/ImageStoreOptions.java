package dev.cloche.image;

import dev.cloche.base.OperationListener;
import dev.cloche.base.Operations;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * Says how an {@link ImageStore} works.
 *
 * @param registries how to speak to registries; asked when one is to be spoken to
 * @param bundled OCI layout directories whose images are imported by name instead of pulled
 * @param platform which of an image's platforms to take
 * @param limits bounds on what is taken from registries
 * @param parallelism layers at a time
 * @param clock tells when images were created and used
 * @param keepBytes below how many bytes the cache is kept, asked after each pull; without it, all stays
 * @param requireRoom refuses, by what it throws, to take anything more of the disk; asked before an image is brought
 * @param operations is told of pulls
 */
public record ImageStoreOptions(
        Supplier<RegistryOptions> registries,
        List<Path> bundled,
        Platform platform,
        ImageLimits limits,
        int parallelism,
        Clock clock,
        Supplier<OptionalLong> keepBytes,
        Runnable requireRoom,
        Operations operations) {
    private static final int MOST_PARALLEL = 4;

    public ImageStoreOptions {
        bundled = List.copyOf(bundled);
        if (parallelism < 1) {
            throw new IllegalArgumentException("at least one layer at a time");
        }
    }

    /** Returns Docker's logins, no bundled images, this machine's platform and as many layers at a time as it has cores. */
    public static ImageStoreOptions defaults() {
        return new ImageStoreOptions(
                RegistryOptions::defaults,
                List.of(),
                Platform.host(),
                ImageLimits.generous(),
                Math.clamp(Runtime.getRuntime().availableProcessors(), 1, MOST_PARALLEL),
                Clock.systemUTC(),
                OptionalLong::empty,
                () -> {},
                Operations.heardBy(OperationListener.none()));
    }

    /** Returns the same with these OCI layouts. */
    public ImageStoreOptions withBundled(List<Path> layouts) {
        return new ImageStoreOptions(
                registries, layouts, platform, limits, parallelism, clock, keepBytes, requireRoom, operations);
    }

    /** Returns the same with registry settings that are found out when a registry is to be spoken to. */
    public ImageStoreOptions withRegistries(Supplier<RegistryOptions> settings) {
        return new ImageStoreOptions(
                settings, bundled, platform, limits, parallelism, clock, keepBytes, requireRoom, operations);
    }

    /** Returns the same with a cache that is kept below so many bytes, which is found out after each pull. */
    public ImageStoreOptions withKeepBytes(Supplier<OptionalLong> limit) {
        return new ImageStoreOptions(
                registries, bundled, platform, limits, parallelism, clock, limit, requireRoom, operations);
    }

    /** Returns the same, which asks this before it brings an image. */
    public ImageStoreOptions withRoom(Runnable required) {
        return new ImageStoreOptions(
                registries, bundled, platform, limits, parallelism, clock, keepBytes, required, operations);
    }

    /** Returns the same, which tells these of pulls. */
    public ImageStoreOptions withOperations(Operations other) {
        return new ImageStoreOptions(
                registries, bundled, platform, limits, parallelism, clock, keepBytes, requireRoom, other);
    }
}
