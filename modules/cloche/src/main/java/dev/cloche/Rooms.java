package dev.cloche;

import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogSchema;
import dev.cloche.image.ImageStore;
import dev.cloche.image.ImageStoreOptions;
import dev.cloche.linux.NativeCalls;
import dev.cloche.sandbox.Sandboxes;
import dev.cloche.vm.QemuProvider;
import dev.cloche.vm.VmLayout;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmResources;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

/** The rooms of one state root, wired together. */
record Rooms(Catalog catalog, ImageStore images, VmProvider vms, Sandboxes sandboxes) implements AutoCloseable {
    /** The tables of every room that has some. */
    static final List<CatalogSchema> SCHEMAS = List.of(ImageStore.schema(), Sandboxes.schema());

    static void prepare() {
        // Two threads, because neither waits for the other, and a start needs the database before the locks.
        Thread.ofPlatform().daemon().name("prepare-records").start(() -> {
            Catalog.prepare();
            ImageStore.prepare();
        });
        NativeCalls.prepareLocks();
    }

    static Rooms open(ClocheOptions options) {
        Path root = StateRoot.ensure(options.home());
        VmProvider vms = new QemuProvider(VmLayout.of(root), VmResources.find(options.share()));
        Catalog catalog = Catalog.open(root, SCHEMAS);
        ImageStore images = images(options, root, catalog);
        return new Rooms(catalog, images, vms, new Sandboxes(catalog, images, vms, Clock.systemUTC()));
    }

    static ImageStore images(ClocheOptions options, Path root, Catalog catalog) {
        return ImageStore.open(root.resolve("cache"), catalog, imageOptions(options));
    }

    private static ImageStoreOptions imageOptions(ClocheOptions options) {
        List<Path> layouts = options.share().stream()
                .map(share -> share.resolve("images/base"))
                .filter(Files::isDirectory)
                .toList();
        return ImageStoreOptions.defaults().withBundled(layouts);
    }

    @Override
    public void close() {
        // A failure of one does not keep the next from being closed: last the catalog, because ends are recorded in it.
        try (catalog;
                vms) {
            sandboxes.close();
        }
    }
}
