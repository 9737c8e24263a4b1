package dev.cloche.qemu.snapshot;

import dev.cloche.linux.LockFile;
import dev.cloche.qemu.disk.DiskChain;
import dev.cloche.qemu.disk.DiskTools;
import dev.cloche.qemu.host.FileDigests;
import dev.cloche.qemu.launch.QemuLaunch;
import dev.cloche.vm.SnapshotException;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Pins a snapshot that is being restored: it was found whole and fit for this machine, and is kept from being deleted
 * meanwhile.
 */
public final class SnapshotPin implements AutoCloseable {
    private final SnapshotManifest manifest;
    private final Path directory;
    private final LockFile lock;

    private SnapshotPin(SnapshotManifest manifest, Path directory, LockFile lock) {
        this.manifest = manifest;
        this.directory = directory;
        this.lock = lock;
    }

    /**
     * Finds the snapshot of a spec.
     *
     * @param here what the clone would run on
     * @throws SnapshotException.NotFound if it is gone, or another one of its name has come
     * @throws SnapshotException.Damaged if its files are not as they were written
     * @throws SnapshotException.Mismatch if it would not run here
     */
    public static SnapshotPin open(QemuContext context, VmSpec spec, PlatformRecord here) {
        SnapshotRef wanted = spec.snapshot().orElseThrow();
        QemuSnapshotStore store = context.snapshots();
        LockFile lock = store.hold(wanted.name()).orElseThrow(() -> new SnapshotException.NotFound(wanted.name()));
        try {
            SnapshotManifest manifest =
                    store.read(wanted.name()).orElseThrow(() -> new SnapshotException.NotFound(wanted.name()));
            if (!manifest.ref().createdAt().equals(wanted.createdAt())) {
                throw new SnapshotException.NotFound(wanted.name());
            }
            SnapshotPin pin = new SnapshotPin(manifest, store.directory(wanted.name()), lock);
            List<SnapshotException.Mismatch.Difference> differences =
                    manifest.key().differences(here.key(spec, manifest.ports(), context.digests()));
            if (!differences.isEmpty()) {
                throw new SnapshotException.Mismatch(wanted.name(), differences);
            }
            pin.checkFiles();
            return pin;
        } catch (IOException e) {
            lock.close();
            throw new SnapshotException.Damaged(wanted.name(), String.valueOf(e.getMessage()), e);
        } catch (RuntimeException e) {
            lock.close();
            throw e;
        }
    }

    /** The memory by what is known of it, for reading it would take longer than the restore; what is small is read. */
    private void checkFiles() throws IOException {
        new SnapshotMemory(directory).require(manifest);
        if (mapped()) {
            SnapshotMemory.keepPrivate(directory.resolve(QemuCapture.STATE));
        }
        checkState(manifest, directory);
    }

    /**
     * Reads all files but the disk's.
     *
     * @throws IOException if one is not what was written
     */
    public static void read(SnapshotManifest manifest, Path directory) throws IOException {
        new SnapshotMemory(directory).read(manifest);
        checkState(manifest, directory);
    }

    private static void checkState(SnapshotManifest manifest, Path directory) throws IOException {
        if (manifest.ref().kind() == SnapshotRef.Kind.MAPPED
                && !FileDigests.sha256(directory.resolve(QemuCapture.STATE)).equals(manifest.stateDigest())) {
            throw new IOException("its device state is not what was written");
        }
    }

    public DiskChain disk(DiskTools tools) {
        return new DiskChain(directory, tools);
    }

    public boolean mapped() {
        return manifest.ref().kind() == SnapshotRef.Kind.MAPPED;
    }

    public Path memory() {
        return directory.resolve(QemuCapture.MEMORY);
    }

    /** Returns what goes through QEMU's incoming migration. */
    public Path stream() {
        return mapped() ? directory.resolve(QemuCapture.STATE) : memory();
    }

    /**
     * Returns how QEMU is started for it. Its guard keeps what QEMU maps; of a stream, a clone needs nothing once it is
     * loaded, and that is before this is closed.
     */
    public QemuLaunch launch(QemuLaunch.Ram ram, Optional<QemuLaunch.Disk> disk) {
        return new QemuLaunch(
                ram,
                manifest.ports(),
                true,
                Optional.of(directory.resolve(QemuSnapshotStore.LOCK)).filter(_ -> mapped()),
                disk,
                List.of());
    }

    /** Releases it. The guard of a clone that maps it has a lock of its own by then. */
    @Override
    public void close() {
        lock.close();
    }
}
