package dev.cloche.sandbox.snapshot;

import dev.cloche.base.ClocheException;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.directory.SandboxDirectory;
import dev.cloche.sandbox.lifecycle.SandboxContext;
import dev.cloche.sandbox.record.RowIds;
import dev.cloche.sandbox.record.SnapshotNames;
import dev.cloche.sandbox.record.SnapshotStore;
import dev.cloche.vm.SnapshotException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Holds what snapshots are recorded in and made of: a row, a directory with a lock, a hold on the image, and with
 * memory a snapshot of the VM. The process that takes or removes one holds its lock.
 */
public record SnapshotContext(SandboxContext context, SnapshotStore store, Path directories) {
    /** Describes a snapshot that is recorded as being taken, and this caller's. */
    public record Place(long id, OwnerLock lock) {}

    public SandboxDirectory directory(String name) {
        return new SandboxDirectory(directories, name);
    }

    /** Records a snapshot that is about to be taken. Empty if its name is taken. */
    Optional<Place> claim(SnapshotStore.NewSnapshot snapshot) {
        try {
            return claimNext(snapshot);
        } catch (RowIds.Taken leftByALostCatalog) {
            store.skipIds(RowIds.highestIn(directories));
            return claimNext(snapshot);
        }
    }

    private Optional<Place> claimNext(SnapshotStore.NewSnapshot snapshot) {
        AtomicReference<@Nullable OwnerLock> taken = new AtomicReference<>();
        try {
            Optional<SnapshotStore.Row> row = store.insert(snapshot, directory -> {
                RowIds.requireNew(directory(directory).path());
                taken.set(directory(directory)
                        .tryLock()
                        .orElseThrow(() -> new IllegalStateException("the directory of a new row is in use")));
            });
            OwnerLock lock = taken.get();
            return row.isPresent() && lock != null
                    ? Optional.of(new Place(row.get().id(), lock))
                    : Optional.empty();
        } catch (Throwable failure) {
            OwnerLock lock = taken.get();
            if (lock != null) {
                lock.directory().remove();
                lock.close();
            }
            throw failure;
        }
    }

    /**
     * Removes all of a snapshot, the row last; what is gone already is success.
     *
     * @throws dev.cloche.vm.VmException.Busy if it is being restored from; a sweep goes on with it
     */
    public void discard(long id, OwnerLock lock) {
        store.doom(id);
        try {
            context.vms().deleteSnapshot(SnapshotNames.ofVm(id));
        } catch (SnapshotException.NotFound without) {
            // That of a disk has none, and one that was not finished.
        }
        context.vms().disks().delete(lock.directory().disk());
        lock.directory().remove();
        context.images().release(SnapshotNames.holder(id, ""));
        store.delete(id);
    }

    /** Like {@link #discard}, where something else matters more; what resists is left to a sweep. */
    void tryDiscard(long id, OwnerLock lock) {
        try {
            discard(id, lock);
        } catch (ClocheException resists) {
            System.getLogger(SnapshotContext.class.getName())
                    .log(System.Logger.Level.DEBUG, "snapshot " + id + " cannot go yet", resists);
        }
    }
}
