package dev.cloche.qemu;

import dev.cloche.linux.LockFile;
import dev.cloche.qemu.snapshot.QemuSnapshotStore;
import dev.cloche.qemu.snapshot.SnapshotManifest;
import dev.cloche.qemu.snapshot.SnapshotPin;
import dev.cloche.vm.SnapshotException;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.VmException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads every snapshot of a state root and compares it with what was written. Changes nothing of it. */
public final class SnapshotCheck {
    private SnapshotCheck() {}

    /**
     * Takes as long as reading the memory of all of them; none is deleted meanwhile.
     *
     * @return a sentence for each that is not whole; empty if all are
     * @throws VmException.Storage if they cannot be listed
     */
    public static List<String> problems(Path stateRoot) {
        QemuSnapshotStore store = new QemuSnapshotStore(stateRoot.resolve(VmLayout.SNAPSHOTS));
        List<String> problems = new ArrayList<>();
        for (SnapshotName name : store.names()) {
            // One that is being deleted, or that is gone by now, need not be whole.
            store.hold(name).ifPresent(lock -> {
                try (LockFile _ = lock) {
                    problem(store, name).ifPresent(problems::add);
                }
            });
        }
        return List.copyOf(problems);
    }

    private static Optional<String> problem(QemuSnapshotStore store, SnapshotName name) {
        try {
            Optional<SnapshotManifest> manifest = store.read(name);
            if (manifest.isPresent()) {
                SnapshotPin.read(manifest.get(), store.directory(name));
            }
            return Optional.empty();
        } catch (SnapshotException.Damaged e) {
            return Optional.of(e.sentence() + ".");
        } catch (IOException e) {
            return Optional.of(new SnapshotException.Damaged(name, String.valueOf(e.getMessage()), e).sentence() + ".");
        }
    }
}
