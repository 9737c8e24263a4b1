package dev.cloche.bench.compare;

import dev.cloche.base.Deadline;
import dev.cloche.bench.probe.Setting;
import dev.cloche.bench.probe.Trees;
import dev.cloche.bench.report.Alternation;
import dev.cloche.bench.report.Report;
import dev.cloche.catalog.Catalog;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImagePruneRequest;
import dev.cloche.image.ImageReference;
import dev.cloche.image.ImageStore;
import dev.cloche.image.ImageStoreOptions;
import dev.cloche.image.PullListener;
import dev.cloche.image.PullPolicy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Measures what the operations on images cost when there are few and when there are many, each on a real catalog and
 * real files.
 */
public final class ImageGrowth {
    private static final int[] SIZES = {10, 100, 1000};

    private final Setting setting;

    public ImageGrowth(Setting setting) {
        this.setting = setting;
    }

    public void measure(int rounds, Report report) throws Exception {
        List<Store> stores = new ArrayList<>();
        try {
            for (int size : SIZES) {
                stores.add(new Store(Files.createTempDirectory(setting.directory(), "growth"), size));
            }
            grow("Opening the catalog and the store of so many images", stores, Store::open, rounds, report);
            grow("Looking one up", stores, Store::get, rounds, report);
            grow("Acquiring one for a start, and releasing it", stores, Store::acquire, rounds, report);
            grow("Removing one, and loading it again", stores, Store::replace, rounds, report);
            grow("Listing all", stores, Store::list, rounds, report);
            grow("Pruning, with all but one held", stores, Store::prune, rounds, report);
        } finally {
            for (Store store : stores) {
                store.close();
            }
        }
    }

    @FunctionalInterface
    private interface Operation {
        void on(Store store) throws Exception;
    }

    private static void grow(String what, List<Store> stores, Operation operation, int rounds, Report report)
            throws Exception {
        report.heading(what);
        Alternation turns = new Alternation();
        for (Store store : stores.reversed()) {
            operation.on(store);
            turns.add(store.size + " images", () -> {
                long begin = System.nanoTime();
                operation.on(store);
                return System.nanoTime() - begin;
            });
        }
        report.table(turns.run(rounds));
    }

    /** A store of so many images of one small layer each. */
    private static final class Store implements AutoCloseable {
        private final Path directory;
        private final int size;
        private final Catalog catalog;
        private final ImageStore images;

        Store(Path directory, int size) throws IOException {
            this.directory = directory;
            this.size = size;
            catalog = Catalog.open(Files.createDirectories(directory.resolve("state")), List.of(ImageStore.schema()));
            images = ImageStore.open(directory.resolve("cache"), catalog, ImageStoreOptions.defaults());
            for (int i = 0; i < size; i++) {
                load(i);
                if (i > 0) {
                    hold(i);
                }
            }
        }

        private void open() {
            try (Catalog again = Catalog.open(directory.resolve("state"), List.of(ImageStore.schema()))) {
                ImageStore.open(directory.resolve("cache"), again, ImageStoreOptions.defaults());
            }
        }

        private void get() {
            var _ = images.get(name(size / 2));
        }

        private void acquire() {
            ImageHolder holder = new ImageHolder("bench", "start", "start");
            var _ = images.acquire(name(size / 2), PullPolicy.NEVER, holder, PullListener.none(), Deadline.none());
            images.release(holder);
        }

        private void replace() throws IOException {
            images.remove(name(0), false);
            load(0);
        }

        private void list() {
            if (images.list().size() != size) {
                throw new IllegalStateException("images are missing");
            }
        }

        private void prune() throws IOException {
            if (images.prune(ImagePruneRequest.everything()).manifests() != 1) {
                throw new IllegalStateException("one image was to go");
            }
            load(0);
        }

        private void hold(int number) {
            var _ = images.acquire(
                    name(number),
                    PullPolicy.NEVER,
                    new ImageHolder("bench", String.valueOf(number), "holder"),
                    PullListener.none(),
                    Deadline.none());
        }

        private void load(int number) throws IOException {
            Path layout = Files.createDirectories(directory.resolve("layout"));
            Path blobs = Files.createDirectories(layout.resolve("blobs/sha256"));
            String layer = blob(blobs, archive(number));
            String config = blob(
                    blobs,
                    utf8("{\"os\":\"linux\",\"architecture\":\"amd64\",\"config\":{},\"rootfs\":{\"type\":\"layers\","
                            + "\"diff_ids\":[\"" + digest(archive(number)) + "\"]}}"));
            byte[] manifest = utf8("{\"schemaVersion\":2,\"mediaType\":\"application/vnd.oci.image.manifest.v1+json\","
                    + "\"config\":{\"mediaType\":\"application/vnd.oci.image.config.v1+json\"," + config
                    + "},\"layers\":[{\"mediaType\":\"application/vnd.oci.image.layer.v1.tar\"," + layer + "}]}");
            Files.write(layout.resolve("oci-layout"), utf8("{\"imageLayoutVersion\":\"1.0.0\"}"));
            Files.write(
                    layout.resolve("index.json"),
                    utf8("{\"schemaVersion\":2,\"manifests\":[{\"mediaType\":"
                            + "\"application/vnd.oci.image.manifest.v1+json\"," + blob(blobs, manifest) + "}]}"));
            images.load(layout, Optional.of(name(number)), PullListener.none(), Deadline.none());
            Trees.delete(layout);
        }

        private static String blob(Path blobs, byte[] content) throws IOException {
            String digest = digest(content);
            Files.write(blobs.resolve(digest.substring("sha256:".length())), content);
            return "\"digest\":\"" + digest + "\",\"size\":" + content.length;
        }

        private static String digest(byte[] content) {
            try {
                return "sha256:"
                        + HexFormat.of()
                                .formatHex(MessageDigest.getInstance("SHA-256").digest(content));
            } catch (NoSuchAlgorithmException e) {
                throw new AssertionError("every JDK has SHA-256", e);
            }
        }

        /** A tar archive of one empty file, whose name has the number. */
        private static byte[] archive(int number) {
            byte[] archive = new byte[1536];
            put(archive, 0, "file-" + number);
            put(archive, 100, "0000644\0000000000\0000000000\00000000000000\00000000000000\000");
            put(archive, 148, "        ");
            put(archive, 156, "0");
            put(archive, 257, "ustar\00000");
            int sum = 0;
            for (int i = 0; i < 512; i++) {
                sum += archive[i] & 0xff;
            }
            put(archive, 148, "%06o\0 ".formatted(sum));
            return archive;
        }

        private static void put(byte[] archive, int offset, String text) {
            byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
            System.arraycopy(bytes, 0, archive, offset, bytes.length);
        }

        private static byte[] utf8(String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }

        private static ImageReference name(int number) {
            return ImageReference.parse("image-" + number + ":1");
        }

        @Override
        public void close() throws IOException {
            catalog.close();
            Trees.delete(directory);
        }
    }
}
