package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.machine.DiskState;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.MachineResources;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.vm.PersistentDisk;
import dev.cloche.vm.PersistentDisks;
import dev.cloche.vm.Vm;
import dev.cloche.vm.WritableLayer;
import java.nio.file.Path;
import java.time.Duration;

/** Manages the disks of machines: each in the directory {@code disk} of its machine's. Its callers hold the machine's lock. */
public final class MachineDisks {
    public static final String DIRECTORY = "disk";
    public static final int MIB_PER_GIB = 1024;
    private static final Duration GROW_LIMIT = Duration.ofMinutes(5);
    private static final Duration THROTTLE_LIMIT = Duration.ofSeconds(30);

    private final MachineContext context;

    public MachineDisks(MachineContext context) {
        this.context = context;
    }

    /** An empty one, in the directory of a machine that is being made. */
    void make(Path machineDirectory, MachineResources resources) {
        disks().create(machineDirectory.resolve(DIRECTORY), resources.diskGb() * MIB_PER_GIB);
    }

    public Path directory(MachineName name) {
        return context.store().directory(name).resolve(DIRECTORY).toAbsolutePath();
    }

    /**
     * Returns the disk of a machine.
     *
     * @throws MachineException.Unsupported if it has none, as machines of other programs
     */
    public PersistentDisk of(PersistedMachine machine) {
        return disks().find(directory(machine.name()))
                .orElseThrow(() -> new MachineException.Unsupported(
                        "The machine \"" + machine.name() + "\" has no disk in " + directory(machine.name()) + ".",
                        "Restore it from a snapshot or an export, or remove the machine."));
    }

    /** Returns what a machine without a VM is: suspended, as long as its disk and its memory are as of one moment. */
    DiskState restingState(PersistedMachine machine) {
        boolean memory = disks().find(directory(machine.name()))
                .flatMap(PersistentDisk::suspendedAt)
                .flatMap(context.vms()::snapshot)
                .isPresent();
        return memory ? DiskState.SUSPENDED : DiskState.STOPPED;
    }

    /** Grows the disk to what {@code wanted} says, under its guest if that runs. */
    void resize(PersistedMachine machine, PersistedMachine wanted, Deadline deadline) {
        if (wanted.resources().diskGb() > machine.resources().diskGb()) {
            grow(wanted, deadline);
        }
    }

    /** Makes the disk as large as the file says: a person may have edited that, or a growth was cut short. */
    void catchUp(PersistedMachine machine, Deadline deadline) {
        if (of(machine).sizeMiB() < sizeMiB(machine)) {
            grow(machine, deadline);
        }
    }

    private void grow(PersistedMachine machine, Deadline deadline) {
        if (!context.alive(machine)) {
            disks().grow(directory(machine.name()), sizeMiB(machine));
            return;
        }
        Deadline limit = deadline.orAfter(GROW_LIMIT);
        try (Vm vm = context.vms().connect(machine.vmId(), limit)) {
            vm.growDisk(sizeMiB(machine), limit);
        }
    }

    /** Has the limits of the disk hold that the file says, where the guest runs and has others. */
    void throttle(PersistedMachine machine, Deadline deadline) {
        WritableLayer.Throttle limits = machine.settings().diskThrottle();
        boolean others = context.alive(machine)
                && context.vms()
                        .spec(machine.vmId())
                        .filter(spec -> !spec.throttle().equals(limits))
                        .isPresent();
        if (others) {
            context.vms().throttleDisk(machine.vmId(), () -> limits, deadline.orAfter(THROTTLE_LIMIT));
        }
    }

    private static int sizeMiB(PersistedMachine machine) {
        return machine.resources().diskGb() * MIB_PER_GIB;
    }

    public PersistentDisks disks() {
        return context.vms().disks();
    }
}
