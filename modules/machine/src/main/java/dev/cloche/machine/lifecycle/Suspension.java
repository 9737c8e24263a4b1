package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.base.EnumNames;
import dev.cloche.machine.DiskState;
import dev.cloche.machine.MachineEvent;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.PersistentDisk;
import dev.cloche.vm.SnapshotException;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmSpec;
import java.nio.file.Files;
import java.util.Optional;

/** Suspends machines: keeps their memory on disk. Its callers hold the machine's lock. */
public final class Suspension {
    private final MachineContext context;
    private final MachineDisks disks;

    public Suspension(MachineContext context, MachineDisks disks) {
        this.context = context;
        this.disks = disks;
    }

    /** Writes the memory of a running machine to disk and ends its VM. If a step fails, the machine goes on running. */
    PersistedMachine suspend(PersistedMachine machine, Deadline deadline) {
        context.vms().requireDiskRoom();
        try (Vm vm = context.vms().adopt(machine.vmId(), deadline)) {
            var _ = vm.suspend(MemorySnapshotNames.suspended(machine), deadline);
        }
        PersistedMachine suspended = context.store()
                .update(
                        machine.name(),
                        now -> now.withStatus(now.status()
                                .withState(DiskState.SUSPENDED)
                                .withIpAddress(Optional.empty())
                                .withStartedAt(Optional.empty())));
        context.note(machine, MachineEvent.Kind.SUSPENDED, "");
        return suspended;
    }

    /**
     * Returns what continues a suspended machine.
     *
     * @throws MachineException.WrongState if its memory is gone, or its disk has moved on
     */
    VmSpec continuing(PersistedMachine machine) {
        PersistentDisk disk = disks.of(machine);
        SnapshotRef memory = disk.suspendedAt()
                .flatMap(name -> context.vms().snapshot(name))
                .orElseThrow(() -> new MachineException.WrongState(
                        "The memory of the suspended machine \"" + machine.name() + "\" is gone.",
                        "Have it boot from its disk the next time: cloche.machines().stop(\"" + machine.name()
                                + "\", …)"));
        NetworkSpec network = MachineNetwork.spec(machine.settings());
        if (memory.network() != network instanceof NetworkSpec.User) {
            throw new MachineException.WrongState(
                    "The memory of the machine \"" + machine.name() + "\" was written "
                            + (memory.network() ? "with" : "without") + " a network, and its file says \""
                            + EnumNames.of(machine.settings().network()) + "\".",
                    "Change the file, or give the memory up: cloche.machines().stop(\"" + machine.name() + "\", …)");
        }
        return VmSpec.restored(machine.vmId(), memory)
                .withWritable(disk.layer())
                .withNetwork(network.device())
                .withIsolation(machine.settings().isolation())
                .withThrottle(machine.settings().diskThrottle())
                .withAttached(false);
    }

    /**
     * Deletes memory that nothing needs any more: of earlier suspensions, of copies and snapshots that were cut short. What is still in
     * use goes another time.
     */
    void sweep(PersistedMachine machine) {
        Optional<?> needed = disks.disks()
                .find(disks.directory(machine.name()))
                .flatMap(PersistentDisk::suspendedAt)
                .filter(_ -> machine.status().state() == DiskState.SUSPENDED);
        for (SnapshotRef memory : context.vms().snapshots()) {
            boolean old = MemorySnapshotNames.isSuspension(machine.vmId(), memory.name())
                    && needed.filter(memory.name()::equals).isEmpty();
            if (old
                    || MemorySnapshotNames.isPassing(machine.vmId(), memory.name())
                    || isOfNoSnapshot(machine, memory)) {
                delete(memory);
            }
        }
    }

    /** Its snapshot was not completed, or is deleted but for it. */
    private boolean isOfNoSnapshot(PersistedMachine machine, SnapshotRef memory) {
        return MemorySnapshotNames.keptFor(machine.vmId(), memory.name())
                .map(snapshot -> context.store()
                        .directory(machine.name())
                        .resolve(MachineSnapshots.DIRECTORY)
                        .resolve(snapshot))
                .filter(directory -> !Files.exists(directory))
                .isPresent();
    }

    private void delete(SnapshotRef memory) {
        try {
            context.vms().deleteSnapshot(memory.name());
        } catch (SnapshotException.NotFound | VmException.Busy goneOrNeeded) {
            // As was to be reached, or a guest that was continued from it lives.
        }
    }
}
