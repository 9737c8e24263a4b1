package dev.cloche.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Images that share layers, in a bundled layout, so that processes need no registry to bring them. */
final class ThreeImages {
    static final ImageReference A = ImageReference.parse("a");
    static final ImageReference B = ImageReference.parse("b");
    static final ImageReference C = ImageReference.parse("c");
    static final List<ImageReference> ALL = List.of(A, B, C);

    private ThreeImages() {}

    /** A has the first two layers, B the first and the third, C the third and the fourth. */
    static Path writeLayout(Path directory) throws IOException {
        Map<String, String> shared = Map.of("bin/sh", "shell");
        Map<String, String> third = Map.of("usr/share/third", "t".repeat(300_000));
        List<TestImage> images = List.of(
                image(shared, Map.of("etc/name", "a")), image(shared, third), image(third, Map.of("etc/name", "c")));
        List<String> entries = new ArrayList<>();
        for (int i = 0; i < images.size(); i++) {
            String name = ALL.get(i).repository().replace("library/", "");
            images.get(i).writeLayout(directory, name);
            entries.add(images.get(i)
                    .indexEntry(",\"annotations\":{\"org.opencontainers.image.ref.name\":\"" + name + "\"}"));
        }
        Files.write(directory.resolve("index.json"), TestImage.index(entries));
        return directory;
    }

    /** A store that has them bundled, and pulls one layer at a time, so that its work is always in the same order. */
    static StoreFixture open(Path root, Path layout) {
        ImageStoreOptions quick = StoreFixture.quick(Optional.empty());
        return new StoreFixture(
                root,
                new ImageStoreOptions(
                        quick.registries(),
                        List.of(layout),
                        quick.platform(),
                        quick.limits(),
                        1,
                        quick.clock(),
                        quick.keepBytes(),
                        quick.requireRoom(),
                        quick.operations()));
    }

    private static TestImage image(Map<String, String> lower, Map<String, String> upper) {
        return new TestImage().layer(TestImage.Compression.GZIP, lower).layer(TestImage.Compression.ZSTD, upper);
    }
}
