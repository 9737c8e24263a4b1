package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.image.ImageHolder;
import dev.cloche.machine.MachineException;
import dev.cloche.vm.SnapshotException;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import java.time.Duration;
import java.util.List;

/**
 * Discards what a machine has outside of its directory, under its vm_id. Callers of what changes it hold the lock of the id.
 */
final class ExternalResources {
    private static final Duration KILL_LIMIT = Duration.ofSeconds(30);

    private final MachineContext context;

    ExternalResources(MachineContext context) {
        this.context = context;
    }

    /**
     * Ends the VM, and lets go of all else. Memory that a guest runs from stays, and with it the record of the id, so that it goes
     * another time.
     *
     * @throws MachineException.Busy if a process has the VM in its hands still
     */
    void discard(VmId id, String name) {
        try {
            context.vms().kill(id, Deadline.after(KILL_LIMIT));
        } catch (VmException.NotFound | VmException.WrongState notRunning) {
            // As was to be reached.
        }
        try {
            context.vms().destroy(id);
        } catch (VmException.Busy held) {
            // The process that saw it end has not let go of it yet; that takes milliseconds.
            throw new MachineException.Busy(name);
        }
        memories(id).forEach(this::delete);
        context.images().release(new ImageHolder(MachineContext.HOLDER_KIND, id.value(), name));
    }

    /** The record and the lock of an id that nothing is kept under any more. Its directory is gone, or was never made. */
    void forget(VmId id) {
        if (memories(id).isEmpty()) {
            context.store().owners().disown(id);
        }
        context.forget(id);
    }

    List<SnapshotRef> memories(VmId id) {
        return context.vms().snapshots().stream()
                .filter(memory -> MemorySnapshotNames.isOf(id, memory.name()))
                .toList();
    }

    private void delete(SnapshotRef memory) {
        try {
            context.vms().deleteSnapshot(memory.name());
        } catch (SnapshotException.NotFound | VmException.Busy goneOrNeeded) {
            // As was to be reached, or a guest that was continued from it lives.
        }
    }
}
