package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.base.Uninterrupted;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.vm.PersistentDisks;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import java.nio.file.Path;
import java.time.Duration;

/** Copies machines' disks, also of machines that run. Its callers hold the machine's lock. */
final class DiskCopies {
    /**
     * Longer than a snapshot takes. The guest thaws by itself after it, so no death of a process on the host leaves it frozen.
     */
    private static final Duration LONGEST_FREEZE = Duration.ofMinutes(5);

    private final MachineContext context;
    private final MachineDisks disks;

    DiskCopies(MachineContext context, MachineDisks disks) {
        this.context = context;
        this.disks = disks;
    }

    /** Copies the disk as it is now. Of a running machine its file system is frozen for a moment, so that the copy is whole. */
    void copy(PersistedMachine machine, Path target, Deadline deadline) {
        PersistentDisks all = disks.disks();
        if (!context.alive(machine)) {
            all.copy(disks.directory(machine.name()), target);
            return;
        }
        SnapshotName passing = MemorySnapshotNames.passing(machine);
        SnapshotRef taken = frozen(machine, passing, deadline);
        try {
            all.create(target, taken);
        } finally {
            context.vms().deleteSnapshot(passing);
        }
    }

    /**
     * Returns a snapshot whose disk is whole without its memory. The guest is halted beforehand: one that runs would be told
     * to take a new identity after the snapshot, which it cannot write down while it is frozen.
     */
    private SnapshotRef frozen(PersistedMachine machine, SnapshotName name, Deadline deadline) {
        context.vms().requireDiskRoom();
        try (Vm vm = context.vms().adopt(machine.vmId(), deadline)) {
            vm.guest().freeze(LONGEST_FREEZE, deadline);
            try {
                vm.pause(deadline);
                try {
                    return vm.snapshot(name, deadline);
                } finally {
                    vm.resume(Deadline.after(LONGEST_FREEZE));
                }
            } finally {
                vm.guest().thaw(Deadline.after(LONGEST_FREEZE));
            }
        }
    }

    private SnapshotRef taken(PersistedMachine machine, SnapshotName name, Deadline deadline) {
        context.vms().requireDiskRoom();
        try (Vm vm = context.vms().adopt(machine.vmId(), deadline)) {
            return vm.snapshot(name, deadline);
        }
    }

    /** Copies disk and memory of a running machine as of one moment; the memory is kept under a name. */
    void copyWithMemory(PersistedMachine machine, SnapshotName memory, Path target, Deadline deadline) {
        SnapshotRef taken = taken(machine, memory, deadline);
        try {
            disks.disks().create(target, taken);
        } catch (Throwable failure) {
            Uninterrupted.after(failure, () -> context.vms().deleteSnapshot(memory));
            throw failure;
        }
    }
}
