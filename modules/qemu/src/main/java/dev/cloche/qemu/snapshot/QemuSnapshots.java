package dev.cloche.qemu.snapshot;

import dev.cloche.linux.LockFile;
import dev.cloche.qemu.disk.DiskChain;
import dev.cloche.qemu.guard.VmDirectory;
import dev.cloche.qemu.guard.VmRemoval;
import dev.cloche.qemu.host.HostCapabilities;
import dev.cloche.vm.SnapshotException;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The snapshots of a state root, among the VMs that are made from them and that make them. */
public final class QemuSnapshots {
    private final QemuContext context;
    private final QemuSnapshotStore store;
    private final VmDirectory vms;
    private final FingerprintMemory fingerprints = new FingerprintMemory();

    public QemuSnapshots(QemuContext context) {
        this.context = context;
        store = context.snapshots();
        vms = new VmDirectory(context.layout());
    }

    public List<SnapshotRef> list() {
        sweep();
        return store.list().stream().map(SnapshotManifest::ref).toList();
    }

    /** Does what {@link VmProvider#fingerprint} promises. */
    public String fingerprint(VmSpec spec) {
        try {
            HostCapabilities host = context.host().get();
            return fingerprints.of(
                    spec,
                    context.resources(),
                    host,
                    () -> PlatformRecord.of(spec, context.resources(), host)
                            .key(spec, Collections.emptyNavigableSet(), context.digests())
                            .fingerprint());
        } catch (IOException e) {
            throw new VmException.Storage(
                    "What a VM would run on cannot be read: " + e.getMessage(),
                    "Look at the host with: Cloche.examine(options)",
                    e);
        }
    }

    /** Does what {@link VmProvider#copySnapshot} promises, by hard links: no file of a snapshot is ever written to again. */
    public SnapshotRef copy(SnapshotName from, SnapshotName to) {
        Path whole = store.directory(from);
        try (LockFile _ = store.hold(from).orElseThrow(() -> new SnapshotException.NotFound(from));
                QemuSnapshotStore.Draft draft = store.draft()) {
            SnapshotManifest copied = store.read(from)
                    .orElseThrow(() -> new SnapshotException.NotFound(from))
                    .copied(to);
            for (Path file : content(whole)) {
                Files.createLink(draft.directory().resolve(file.getFileName()), file);
            }
            copied.write(draft.directory());
            draft.publish(to);
            return copied.ref();
        } catch (IOException e) {
            throw new VmException.Storage(
                    "Snapshot " + from + " could not be given a second name: " + e.getMessage(),
                    "Check the space on the disk of the state root.",
                    e);
        }
    }

    /** Returns the files that have what a guest goes on with. */
    private static List<Path> content(Path snapshot) throws IOException {
        List<Path> files = new ArrayList<>(DiskChain.layers(snapshot));
        files.add(snapshot.resolve(QemuCapture.MEMORY));
        Path state = snapshot.resolve(QemuCapture.STATE);
        if (Files.exists(state)) {
            files.add(state);
        }
        return files;
    }

    /**
     * Deletes a snapshot, whole or damaged.
     *
     * @throws VmException.Busy if a VM runs from it
     */
    public void delete(SnapshotName name) {
        if (!store.delete(name)) {
            List<String> holders = vms.clonesOf(name);
            throw new VmException.Busy(
                    "Snapshot " + name + " is used by "
                            + (holders.isEmpty() ? "another process" : "VM " + String.join(", VM ", holders)),
                    "Stop the VMs that were restored from it first.");
        }
    }

    /** Says whether a VM runs from it. Takes no lock, which would look to a process that restores it as if it was going. */
    public boolean isMapped(SnapshotName name) {
        return !vms.clonesOf(name).isEmpty();
    }

    /** Removes what killed processes have left of snapshots: unfinished ones, and makers of templates. */
    private void sweep() {
        store.sweep();
        for (VmId maker : vms.deadMakers()) {
            try (LockFile _ = VmDirectory.own(context.layout(), maker)) {
                new VmRemoval(context.layout()).remove(maker);
            } catch (VmException.Busy | VmException.NotFound another) {
                // Destroys it, or has.
            }
        }
    }
}
