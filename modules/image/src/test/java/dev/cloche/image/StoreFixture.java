package dev.cloche.image;

import dev.cloche.base.Deadline;
import dev.cloche.catalog.Catalog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** A store in a temporary directory. */
final class StoreFixture implements AutoCloseable {
    final Path root;
    final Path cache;
    final Catalog catalog;
    final ImageStore store;

    StoreFixture(Path root, ImageStoreOptions options) {
        this.root = root;
        this.cache = root.resolve("cache");
        this.catalog = Catalog.open(root.resolve("state"), List.of(ImageStore.schema()));
        this.store = ImageStore.open(cache, catalog, options);
    }

    private StoreFixture(Path root, ImageStoreOptions options, String boot) {
        this.root = root;
        this.cache = root.resolve("cache");
        this.catalog = Catalog.open(root.resolve("state"), List.of(ImageStore.schema()));
        this.store = ImageStore.open(cache, catalog, options, boot);
    }

    /** As after the host has been started again. */
    static StoreFixture inAnotherBoot(Path root, String boot) {
        return new StoreFixture(root, quick(Optional.empty()), boot);
    }

    /** With a clock of the test. */
    static StoreFixture at(Path root, Clock clock) {
        return at(root, clock, OptionalLong::empty);
    }

    /** With a clock of the test, and a size that the cache is kept below. */
    static StoreFixture at(Path root, Clock clock, Supplier<OptionalLong> keepBytes) {
        ImageStoreOptions quick = quick(Optional.empty());
        return new StoreFixture(
                root,
                new ImageStoreOptions(
                        quick.registries(),
                        quick.bundled(),
                        quick.platform(),
                        quick.limits(),
                        quick.parallelism(),
                        clock,
                        keepBytes,
                        quick.requireRoom(),
                        quick.operations()));
    }

    static StoreFixture in(Path root) {
        return new StoreFixture(root, quick(Optional.empty()));
    }

    /** Retries after a millisecond. */
    static ImageStoreOptions quick(Optional<Path> dockerConfig) {
        return ImageStoreOptions.defaults()
                .withRegistries(() -> new RegistryOptions(
                        Set.of(),
                        Map.of(),
                        List.of(),
                        dockerConfig.map(LoginSources.NONE::withDockerConfig).orElse(LoginSources.NONE),
                        3,
                        Duration.ofMillis(1),
                        Duration.ofSeconds(20)));
    }

    static Deadline soon() {
        return Deadline.after(Duration.ofMinutes(5));
    }

    static ImageHolder holder(String id) {
        return new ImageHolder("sandbox", id, "name-of-" + id);
    }

    ImageDisk acquire(ImageReference reference, String holder) {
        return acquire(reference, PullPolicy.MISSING, holder);
    }

    ImageDisk acquire(ImageReference reference, PullPolicy policy, String holder) {
        return store.acquire(reference, policy, holder(holder), PullListener.none(), soon());
    }

    ImageSummary pull(ImageReference reference) {
        return store.pull(reference, PullPolicy.MISSING, PullListener.none(), soon());
    }

    /** Every file of the cache but the locks. */
    List<String> files() throws IOException {
        if (!Files.exists(cache)) {
            return List.of();
        }
        try (Stream<Path> all = Files.walk(cache)) {
            return all.filter(Files::isRegularFile)
                    .map(file -> cache.relativize(file).toString())
                    .filter(file -> !file.startsWith("locks/"))
                    .sorted()
                    .toList();
        }
    }

    @Override
    public void close() {
        catalog.close();
    }
}
