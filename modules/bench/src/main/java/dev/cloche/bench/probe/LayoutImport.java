package dev.cloche.bench.probe;

import dev.cloche.base.Deadline;
import dev.cloche.catalog.Catalog;
import dev.cloche.image.ImageReference;
import dev.cloche.image.ImageStore;
import dev.cloche.image.ImageStoreOptions;
import dev.cloche.image.PullListener;
import dev.cloche.image.PullPolicy;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Takes the image {@code one} of an OCI layout into an empty store; as a program, says what that needed. */
public final class LayoutImport {
    private LayoutImport() {}

    /** Prints the bytes written to the disk, and the most of the heap that was used. */
    public static void main(String[] arguments) throws IOException {
        long before = written();
        var _ = time(Path.of(arguments[0]), Path.of(arguments[1]));
        long heap = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .map(MemoryPoolMXBean::getPeakUsage)
                .mapToLong(java.lang.management.MemoryUsage::getUsed)
                .sum();
        System.out.println((written() - before) + " " + heap);
    }

    public static long time(Path layout, Path store) throws IOException {
        try (Catalog catalog =
                Catalog.open(Files.createDirectories(store.resolve("state")), List.of(ImageStore.schema()))) {
            ImageStore images = ImageStore.open(
                    store.resolve("cache"),
                    catalog,
                    ImageStoreOptions.defaults().withBundled(List.of(layout)));
            long begin = System.nanoTime();
            var _ = images.pull(ImageReference.parse("one"), PullPolicy.MISSING, PullListener.none(), Deadline.none());
            return System.nanoTime() - begin;
        }
    }

    private static long written() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/io")).stream()
                .filter(line -> line.startsWith("write_bytes: "))
                .mapToLong(line -> Long.parseLong(line.substring("write_bytes: ".length())))
                .findFirst()
                .orElseThrow();
    }
}
