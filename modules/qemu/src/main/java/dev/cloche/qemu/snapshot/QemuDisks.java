package dev.cloche.qemu.snapshot;

import dev.cloche.base.DurableFiles;
import dev.cloche.linux.LockFile;
import dev.cloche.qemu.disk.DiskChain;
import dev.cloche.qemu.disk.DiskLayers;
import dev.cloche.qemu.disk.DiskTools;
import dev.cloche.qemu.disk.SparseFiles;
import dev.cloche.vm.SnapshotException;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.WritableLayer;
import dev.cloche.vmm.disk.DiskContents;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Persistent disks as QEMU has them: chains of files, see docs/vm.md. */
public final class QemuDisks implements DiskContents {
    private final QemuSnapshotStore snapshots;
    private final DiskTools tools;

    public QemuDisks(QemuSnapshotStore snapshots, DiskTools tools) {
        this.snapshots = snapshots;
        this.tools = tools;
    }

    @Override
    public void make(Path directory, int sizeMiB) throws IOException {
        Path bottom = DiskChain.bottom(directory);
        SparseFiles.make(bottom, (long) sizeMiB << 20);
        tools.format(bottom);
        DurableFiles.force(bottom);
    }

    @Override
    public int make(Path directory, SnapshotRef snapshot) throws IOException {
        try (LockFile _ =
                snapshots.hold(snapshot.name()).orElseThrow(() -> new SnapshotException.NotFound(snapshot.name()))) {
            SnapshotManifest manifest = snapshots
                    .read(snapshot.name())
                    .filter(found -> found.ref().createdAt().equals(snapshot.createdAt()))
                    .orElseThrow(() -> new SnapshotException.NotFound(snapshot.name()));
            DiskChain.persistent(directory, tools)
                    .begin(new DiskChain(snapshots.directory(snapshot.name()), tools), manifest.diskMiB());
            return manifest.diskMiB();
        }
    }

    @Override
    public void grow(Path directory, int sizeMiB) throws IOException {
        DiskChain.persistent(directory, tools).fit(sizeMiB);
    }

    /** Layers that are written to no more are shared where the file system can do that. */
    @Override
    public void copy(Path from, Path to) throws IOException {
        List<Path> layers = DiskChain.layers(from);
        for (Path layer : layers) {
            Path target = to.resolve(layer.getFileName().toString());
            if (layer.equals(layers.getLast())) {
                SparseFiles.copy(layer, target);
            } else {
                share(layer, target);
            }
        }
    }

    @Override
    public int make(Path directory, Path raw) throws IOException {
        long bytes = Files.size(raw);
        int mebibytes = (int) Math.min(bytes >> 20, Integer.MAX_VALUE);
        WritableLayer.Disk.requireSize(mebibytes);
        if ((long) mebibytes << 20 != bytes) {
            throw new IOException(raw + " is not a whole number of MiB long");
        }
        SparseFiles.copy(raw, DiskChain.bottom(directory));
        return mebibytes;
    }

    @Override
    public void flatten(Path directory, Path raw) throws IOException {
        DiskChain chain = new DiskChain(directory, tools);
        DiskLayers layers = chain.whole();
        if (DiskChain.isBottom(layers.top())) {
            SparseFiles.copy(layers.top(), raw);
        } else {
            tools.flatten(layers, raw);
        }
    }

    private static void share(Path layer, Path target) throws IOException {
        try {
            Files.createLink(target, layer);
        } catch (FileSystemException | UnsupportedOperationException otherFileSystem) {
            SparseFiles.copy(layer, target);
        }
    }
}
