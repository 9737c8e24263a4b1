package dev.cloche.image;

import dev.cloche.image.layer.FilePublication;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;

/** One of several processes that do everything with the same few images until their time is up. */
final class RaceProcess {
    private final StoreFixture fixture;
    private final Path archive;
    private final String name;
    private final Random random;
    private final Map<Path, Digest> seen = new HashMap<>();
    private int used;

    private RaceProcess(StoreFixture fixture, Path archive, String name, long seed) {
        this.fixture = fixture;
        this.archive = archive;
        this.name = name;
        this.random = new Random(seed);
    }

    public static void main(String[] arguments) throws Exception {
        Path root = Path.of(arguments[0]);
        Path layout = Path.of(arguments[1]);
        try (StoreFixture fixture = ThreeImages.open(root, layout)) {
            RaceProcess process = new RaceProcess(
                    fixture, layout.resolveSibling("b.tar"), arguments[2], Long.parseLong(arguments[3]));
            // From here on: on a busy machine it may take seconds to come so far.
            long end = System.nanoTime() + Duration.parse(arguments[4]).toNanos();
            int steps = 0;
            while (System.nanoTime() < end) {
                process.step();
                steps++;
            }
            System.out.println("done: " + steps + " steps, " + process.used + " uses");
        }
    }

    /** What is refused because of another process is what a user would expect; everything else ends this one. */
    private void step() throws Exception {
        ImageReference image = ThreeImages.ALL.get(random.nextInt(ThreeImages.ALL.size()));
        try {
            switch (random.nextInt(12)) {
                case 0, 1, 2, 3 -> use(image);
                case 4 -> fixture.pull(image);
                case 5 -> fixture.store.pull(image, PullPolicy.ALWAYS, PullListener.none(), StoreFixture.soon());
                case 6 -> fixture.store.remove(image, false);
                case 7 -> fixture.store.remove(image, true);
                case 8 -> fixture.store.prune(ImagePruneRequest.everything());
                case 9 ->
                    fixture.store.prune(
                            new ImagePruneRequest(Duration.ofMillis(50), OptionalLong.of(random.nextInt(400_000))));
                case 10 -> fixture.store.tag(image, ImageReference.parse("tagged:" + random.nextInt(3)));
                default -> {
                    fixture.store.load(archive, Optional.empty(), PullListener.none(), StoreFixture.soon());
                    fixture.store.list().forEach(this::inspect);
                }
            }
        } catch (ImageNotFound | ImageInUse expected) {
            // Another process was faster, or holds it.
        }
    }

    private void inspect(ImageSummary image) {
        try {
            fixture.store.inspect(image.reference());
        } catch (ImageNotFound removedMeanwhile) {
            // It was listed a moment ago.
        }
    }

    /** As long as it is held, every file is there and what it always is. */
    private void use(ImageReference image) throws Exception {
        ImageDisk disk = fixture.acquire(image, name);
        try {
            for (int round = 0; round < 3; round++) {
                read(disk.vmdk());
                for (String line : Files.readAllLines(disk.vmdk())) {
                    if (line.startsWith("RW ")) {
                        String extent = line.substring(line.indexOf('"') + 1, line.lastIndexOf('"'));
                        read(disk.vmdk().resolveSibling(extent).normalize());
                    }
                }
            }
            used++;
        } finally {
            fixture.store.release(StoreFixture.holder(name));
        }
    }

    private void read(Path file) throws Exception {
        Digest found = FilePublication.read(file).sha256();
        Digest before = seen.putIfAbsent(file, found);
        if (before != null && !before.equals(found)) {
            throw new AssertionError(file + " has changed");
        }
    }
}
