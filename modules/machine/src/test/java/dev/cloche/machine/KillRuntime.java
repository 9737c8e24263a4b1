package dev.cloche.machine;

import dev.cloche.catalog.Catalog;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageStore;
import dev.cloche.image.ImageStoreOptions;
import dev.cloche.machine.config.MachineStore;
import dev.cloche.qemu.QemuProvider;
import dev.cloche.qemu.VmLayout;
import dev.cloche.qemu.VmResources;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.testing.InMemoryProvider;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;

/** One runtime on a state root, with real VMs or with such that end with their process. */
record KillRuntime(Path home, Catalog catalog, ImageStore images, VmProvider vms, MachineManager machines)
        implements AutoCloseable {
    static KillRuntime open(Path home, boolean real) {
        Path state = home.resolve("state");
        Catalog catalog = Catalog.open(state, List.of(ImageStore.schema()));
        ImageStore images = ImageStore.open(
                state.resolve("cache"),
                catalog,
                ImageStoreOptions.defaults().withBundled(List.of(share().resolve("images/base"))));
        VmProvider vms = real
                ? new QemuProvider(VmLayout.of(state), VmResources.find(List.of(share())))
                : new InMemoryProvider();
        return new KillRuntime(
                home,
                catalog,
                images,
                vms,
                new MachineManager(state.resolve("machines"), images, vms, Clock.systemUTC()));
    }

    MachineStore store() {
        return new MachineStore(base());
    }

    static Path share() {
        return Path.of(System.getProperty("cloche.share", "../../dist/share")).toAbsolutePath();
    }

    Path base() {
        return home.resolve("state/machines");
    }

    /** The ids of the machines that hold an image. */
    List<String> pins() {
        return images.holders("machine").stream().map(ImageHolder::id).toList();
    }

    @Override
    public void close() {
        try (catalog;
                vms;
                machines) {
            // In this order.
        }
    }
}
