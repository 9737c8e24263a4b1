package dev.cloche.bench.probe;

import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmSpec;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Has a snapshot of a guest that was just booted, whose clones map its memory.
 *
 * @param directory with its files, see docs/on-disk.md
 */
public record BootedTemplate(SnapshotRef snapshot, Path directory) {
    public static BootedTemplate make(Setting setting, VmProvider provider, int memoryMiB) throws IOException {
        SnapshotName name = new SnapshotName(VmId.random().value());
        VmSpec spec = VmSpec.of(VmId.random(), setting.layer()).withMemoryMiB(memoryMiB);
        try (Vm maker = provider.create(spec.asTemplateMaker())) {
            maker.start(BenchVm.patience());
            SnapshotRef taken = maker.snapshot(name, BenchVm.patience());
            maker.destroy();
            return new BootedTemplate(taken, setting.home().resolve("snapshots").resolve(name.value()));
        }
    }

    Path memory() {
        return directory.resolve("memory");
    }

    Path state() {
        return directory.resolve("state");
    }

    public VmSpec clone(VmId id) {
        return VmSpec.restored(id, snapshot);
    }
}
