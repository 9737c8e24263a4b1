package dev.cloche.machine.lifecycle;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.image.ImageHolder;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.OrphanedMachine;
import dev.cloche.machine.config.DirectoryClaims;
import dev.cloche.machine.config.HeldLock;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Finds and removes the orphans: what was kept for machines that are gone, because their directories were deleted by hand, or a
 * process was killed while it made or removed one. A process that makes a machine holds the lock of its id all the while, so what
 * is being made is told from what was left.
 *
 * <p>By itself only that goes of which a directory was recorded, because these records are beside the directories: where all of
 * that is missing, on a disk that is not mounted, it keeps what it has.
 */
public final class OrphanedMachines {
    private final MachineContext context;
    private final ExternalResources resources;

    public OrphanedMachines(MachineContext context) {
        this.context = context;
        resources = new ExternalResources(context);
    }

    /** Returns all orphans, by id; one that a process works on is left out. */
    public List<OrphanedMachine> find() {
        List<OrphanedMachine> found = new ArrayList<>();
        names().forEach((id, name) -> {
            if (!context.inWork(id) && context.store().owners().isOrphan(id)) {
                found.add(described(id, name));
            }
        });
        return found;
    }

    private OrphanedMachine described(VmId id, String name) {
        return new OrphanedMachine(
                id,
                name,
                context.store().owners().claimed().containsKey(id),
                context.vms().get(id).isPresent(),
                holders().stream().anyMatch(holder -> holder.id().equals(id.value())),
                resources.memories(id).size());
    }

    /**
     * Removes them. What resists stays for another time.
     *
     * @param all also those of which no directory was recorded
     * @return those that are gone
     */
    public List<OrphanedMachine> sweep(boolean all) {
        List<OrphanedMachine> gone = new ArrayList<>();
        for (OrphanedMachine orphan : find()) {
            if (all || orphan.recorded()) {
                try {
                    if (discard(orphan.id(), orphan.name(), Deadline.after(Duration.ZERO))) {
                        gone.add(orphan);
                    }
                } catch (ClocheException resists) {
                    log(orphan.what(), resists);
                }
            }
        }
        return gone;
    }

    /** Does the same, and only logs a failure, for callers whose own work does not depend on it. */
    public void sweepQuietly() {
        try {
            context.store().sweep();
            sweep(false);
            sweepLocks();
        } catch (RuntimeException e) {
            log("what machines left", e);
        }
    }

    /** Locks of ids of which nothing was recorded yet when their maker was killed. */
    private void sweepLocks() {
        for (VmId id : context.store().owners().locked()) {
            if (!context.inWork(id) && context.store().owners().isOrphan(id)) {
                try (HeldLock _ = context.locked(id, id.value(), Deadline.after(Duration.ZERO))) {
                    context.forget(id);
                } catch (MachineException.Busy begun) {
                    // It is being made.
                }
            }
        }
    }

    /** What only the directory of this name may have a use for, which is about to go. */
    void discardOf(MachineName name, Deadline deadline) {
        Map<VmId, String> ids = new TreeMap<>();
        context.store().owners().idsOf(name).forEach(id -> ids.put(id, name.value()));
        for (ImageHolder holder : holders()) {
            if (holder.name().equals(name.value())) {
                DirectoryClaims.id(holder.id()).ifPresent(id -> ids.put(id, name.value()));
            }
        }
        for (VmId id : ids.keySet()) {
            try (HeldLock _ = context.locked(id, name.value(), deadline)) {
                if (context.store().owners().isOrphanWithout(name, id)) {
                    resources.discard(id, name.value());
                    resources.forget(id);
                }
            }
        }
    }

    private boolean discard(VmId id, String name, Deadline deadline) {
        try (HeldLock _ = context.locked(id, name, deadline)) {
            // It may have been being made when it was found.
            if (!context.store().owners().isOrphan(id)) {
                return false;
            }
            resources.discard(id, name);
            resources.forget(id);
            return true;
        }
    }

    /** Returns every id of which there is anything, with the name of its machine if that is known. */
    private Map<VmId, String> names() {
        Map<VmId, String> names = new TreeMap<>();
        for (SnapshotRef memory : context.vms().snapshots()) {
            MemorySnapshotNames.idIn(memory.name()).ifPresent(id -> names.put(id, ""));
        }
        for (ImageHolder holder : holders()) {
            DirectoryClaims.id(holder.id()).ifPresent(id -> names.put(id, holder.name()));
        }
        context.store().owners().claimed().forEach((id, claim) -> names.put(id, claim.directory()));
        return names;
    }

    private List<ImageHolder> holders() {
        return context.images().holders(MachineContext.HOLDER_KIND);
    }

    private static void log(String what, RuntimeException why) {
        System.getLogger(OrphanedMachines.class.getName()).log(System.Logger.Level.DEBUG, what, why);
    }
}
