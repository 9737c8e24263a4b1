package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.image.PullListener;
import dev.cloche.machine.DiskState;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.MachineStatus;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.machine.config.Making;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Machines from machines. Its callers hold the lock of the original. */
public final class Cloning {
    private final Ground ground;
    private final MachineDisks disks;

    public Cloning(Ground ground, MachineDisks disks) {
        this.ground = ground;
        this.disks = disks;
    }

    public PersistedMachine copy(PersistedMachine machine, MachineName name, boolean memory, Deadline deadline) {
        if (Files.exists(ground.store().directory(name))) {
            // Said again by the store, but before a copy.
            throw new MachineException.NameInUse(name);
        }
        if (memory && !ground.alive(machine)) {
            throw new MachineException.WrongState(
                    "The machine \"" + machine.name() + "\" does not run, so it has no memory to copy.",
                    "Leave out the memory, or start it first.");
        }
        PersistedMachine clone = PersistedMachine.of(
                        name, VmId.random(), ground.clock().instant())
                .withOrigin(machine.origin())
                .withResources(machine.resources())
                // A port of the host leads into one machine.
                .withSettings(machine.settings().withPublish(List.of()))
                .withForeign(machine.foreign())
                .withStatus(MachineStatus.NEW
                        .withState(memory ? DiskState.SUSPENDED : DiskState.STOPPED)
                        .withProvisionedAt(machine.status().provisionedAt()));
        SnapshotName kept = MemoryNames.suspended(clone);
        return ground.making(clone.vmId(), name, () -> {
            var _ = new MachineImage(ground, PullListener.none()).of(clone, deadline);
            fill(machine, clone, memory ? Optional.of(kept) : Optional.empty(), deadline);
            ground.note(clone, "cloned", machine.name().value());
            return clone;
        });
    }

    private void fill(
            PersistedMachine machine, PersistedMachine clone, Optional<SnapshotName> memory, Deadline deadline) {
        DiskCopies copies = new DiskCopies(ground, disks);
        try (Making making = Making.begin(ground.store())) {
            Path target = making.directory().resolve(MachineDisks.DIRECTORY).toAbsolutePath();
            if (memory.isPresent()) {
                copies.copyWithMemory(machine, memory.get(), target, deadline);
            } else {
                copies.copy(machine, target, deadline);
            }
            Optional<String> script = machine.settings().provision();
            if (script.isPresent()) {
                Path source = ground.store().directory(machine.name()).resolve(script.get());
                if (Files.isRegularFile(source)) {
                    Files.copy(source, making.directory().resolve(script.get()));
                }
            }
            ground.store().publish(making, clone);
        } catch (IOException e) {
            throw new MachineException.Storage("The machine cannot be cloned: " + e.getMessage() + ".", e);
        }
    }
}
