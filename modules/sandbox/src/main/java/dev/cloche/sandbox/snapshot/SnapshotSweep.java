package dev.cloche.sandbox.snapshot;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.SnapshotStatus;
import dev.cloche.sandbox.directory.OrphanDirectories;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.directory.SandboxLocks.Claim;
import dev.cloche.sandbox.lifecycle.SandboxContext;
import dev.cloche.sandbox.lifecycle.SandboxTerminator;
import dev.cloche.sandbox.lifecycle.SuspensionRecovery;
import dev.cloche.sandbox.record.SnapshotStore;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Removes what is left of snapshots and forks whose makers died, and of removals that were cut short. */
public final class SnapshotSweep {
    private final SnapshotContext snapshots;

    public SnapshotSweep(SnapshotContext snapshots) {
        this.snapshots = snapshots;
    }

    /** Looks at all of them as far as there is time; returns how many resist. */
    public int run(Deadline deadline) {
        List<SnapshotStore.Row> passing = snapshots.store().passing();
        int errors = 0;
        for (SnapshotStore.Row row : passing) {
            if (deadline.passed()) {
                return errors;
            }
            errors += sweep(row, deadline) ? 0 : 1;
        }
        if (!passing.isEmpty()) {
            // Which removes what was written and has no name yet.
            snapshots.context().vms().snapshots();
        }
        return errors;
    }

    /** Returns the directories of snapshots that were not recorded before the processes that took them died. */
    public OrphanDirectories orphans(Duration youth) {
        return new OrphanDirectories(
                snapshots.directories(), () -> snapshots.store().directories(), youth);
    }

    /**
     * Lets its sandbox go on: the process that took it may have died while the sandbox was halted; a connection lets
     * that go on.
     */
    private void letGoOn(SnapshotStore.Row row, Deadline deadline) {
        Optional<SandboxRecord> source = snapshots
                .store()
                .byId(row.id())
                .filter(snapshot -> snapshot.status() == SnapshotStatus.TAKING)
                .flatMap(snapshot -> snapshots.context().store().byName(snapshot.source()))
                .filter(sandbox -> sandbox.status() == SandboxStatus.RUNNING);
        if (source.isPresent()) {
            try (Vm _ = snapshots.context().vms().connect(SandboxTerminator.vmOf(source.get()), deadline)) {
                return;
            } catch (VmException over) {
                // Its end is found by the sweep that looks for ends.
            }
        }
    }

    /** The process that resumed a sandbox from there may have died after it let go of the memory, and before the guest ran. */
    private void letResumedGoOn(SnapshotStore.Row row, Deadline deadline) {
        SandboxContext context = snapshots.context();
        Optional<SandboxRecord> resumed = context.store().resumedFrom(row.id());
        if (resumed.isPresent()
                && context.locks().claim(resumed.get()) instanceof Claim.Taken(OwnerLock lock, SandboxRecord now)) {
            try (lock) {
                if (now.status() == SandboxStatus.RUNNING) {
                    new SuspensionRecovery(context).goOn(now, deadline);
                }
            }
        }
    }

    private boolean sweep(SnapshotStore.Row row, Deadline deadline) {
        try {
            Optional<OwnerLock> free = snapshots.directory(row.directory()).tryLock();
            if (free.isPresent()) {
                try (OwnerLock lock = free.get()) {
                    // The process that had it may have finished taking or removing it.
                    if (snapshots.store().passing().contains(row)) {
                        letGoOn(row, deadline);
                        letResumedGoOn(row, deadline);
                        snapshots.discard(row.id(), lock);
                    } else if (snapshots.store().directory(row.id()).isEmpty()) {
                        lock.directory().remove();
                    }
                }
            }
            return true;
        } catch (ClocheException resists) {
            System.getLogger(SnapshotSweep.class.getName())
                    .log(System.Logger.Level.WARNING, "snapshot " + row.id() + " resists, and is tried again", resists);
            return false;
        }
    }
}
