package dev.cloche.sandbox;

import dev.cloche.catalog.Catalog;
import dev.cloche.catalog.CatalogSchema;
import dev.cloche.catalog.InstallGate;
import dev.cloche.image.ImageStore;
import dev.cloche.image.ImageStoreOptions;
import dev.cloche.linux.ProcessName;
import dev.cloche.sandbox.record.SandboxStore;
import dev.cloche.vm.VmProvider;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

/** One runtime on a state root, with the images of a layout. */
record KillRuntime(Catalog catalog, VmProvider vms, SandboxManager sandboxes, SandboxStore store)
        implements AutoCloseable {
    static final List<CatalogSchema> SCHEMAS =
            List.of(Catalog.leases(), ImageStore.schema(), SandboxManager.schema(), SandboxManager.snapshotSchema());

    static KillRuntime open(Path root, Path layout, KillWorld world) {
        Path state = root.resolve("state");
        Clock clock = Clock.systemUTC();
        Catalog catalog = Catalog.open(state, SCHEMAS, InstallGate.of(clock, ProcessName::isAlive));
        ImageStore images = ImageStore.open(
                state.resolve("cache"), catalog, ImageStoreOptions.defaults().withBundled(List.of(layout)));
        VmProvider vms = world.vms(state);
        return new KillRuntime(
                catalog,
                vms,
                new SandboxManager(state, catalog, images, vms, clock),
                new SandboxStore(catalog, clock, () -> {}));
    }

    @Override
    public void close() {
        try (catalog;
                vms) {
            sandboxes.close();
        }
    }
}
