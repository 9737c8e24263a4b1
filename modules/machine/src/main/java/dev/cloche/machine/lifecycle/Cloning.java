package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.image.PullListener;
import dev.cloche.machine.DiskState;
import dev.cloche.machine.MachineEvent;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.MachineStatus;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.machine.config.StagingDirectory;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.VmId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Clones machines. Its callers hold the lock of the original. */
public final class Cloning {
    private final MachineContext context;
    private final MachineDisks disks;

    public Cloning(MachineContext context, MachineDisks disks) {
        this.context = context;
        this.disks = disks;
    }

    public PersistedMachine copy(PersistedMachine machine, MachineName name, boolean memory, Deadline deadline) {
        if (Files.exists(context.store().directory(name))) {
            // Said again by the store, but before a copy.
            throw new MachineException.NameInUse(name);
        }
        if (memory && !context.alive(machine)) {
            throw new MachineException.WrongState(
                    "The machine \"" + machine.name() + "\" does not run, so it has no memory to copy.",
                    "Leave out the memory, or start it first.");
        }
        PersistedMachine clone = PersistedMachine.of(
                        name, VmId.random(), context.clock().instant())
                .withOrigin(machine.origin())
                .withResources(machine.resources())
                // A port of the host leads into one machine.
                .withSettings(machine.settings().withPublish(List.of()))
                .withForeign(machine.foreign())
                .withStatus(MachineStatus.NEW
                        .withState(memory ? DiskState.SUSPENDED : DiskState.STOPPED)
                        .withProvisionedAt(machine.status().provisionedAt()));
        SnapshotName kept = MemorySnapshotNames.suspended(clone);
        return context.creating(clone.vmId(), name, () -> {
            var _ = new MachineImage(context, PullListener.none()).of(clone, deadline);
            fill(machine, clone, memory ? Optional.of(kept) : Optional.empty(), deadline);
            context.note(clone, MachineEvent.Kind.CLONED, machine.name().value());
            return clone;
        });
    }

    private void fill(
            PersistedMachine machine, PersistedMachine clone, Optional<SnapshotName> memory, Deadline deadline) {
        DiskCopies copies = new DiskCopies(context, disks);
        try (StagingDirectory staging = StagingDirectory.create(context.store())) {
            Path target = staging.directory().resolve(MachineDisks.DIRECTORY).toAbsolutePath();
            if (memory.isPresent()) {
                copies.copyWithMemory(machine, memory.get(), target, deadline);
            } else {
                copies.copy(machine, target, deadline);
            }
            Optional<String> script = machine.settings().provision();
            if (script.isPresent()) {
                Path source = context.store().directory(machine.name()).resolve(script.get());
                if (Files.isRegularFile(source)) {
                    Files.copy(source, staging.directory().resolve(script.get()));
                }
            }
            context.store().publish(staging, clone);
        } catch (IOException e) {
            throw new MachineException.Storage("The machine cannot be cloned: " + e.getMessage() + ".", e);
        }
    }
}
