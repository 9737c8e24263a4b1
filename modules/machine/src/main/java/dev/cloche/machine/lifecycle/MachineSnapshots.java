package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.machine.DiskState;
import dev.cloche.machine.KeptSnapshot;
import dev.cloche.machine.MachineEvent;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.vm.SnapshotException;
import dev.cloche.vm.SnapshotRef;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Manages the snapshots of machines: each a disk in the directory {@code snapshots/NAME} of its machine's, some with memory
 * in the store of VMs. Its callers hold the machine's lock.
 */
public final class MachineSnapshots {
    public static final String DIRECTORY = "snapshots";

    private final MachineContext context;
    private final MachineDisks disks;
    private final DiskCopies copies;

    public MachineSnapshots(MachineContext context, MachineDisks disks) {
        this.context = context;
        this.disks = disks;
        this.copies = new DiskCopies(context, disks);
    }

    public void take(PersistedMachine machine, MachineName snapshot, boolean memory, Deadline deadline) {
        Path directory = directory(machine, snapshot);
        if (Files.exists(directory)) {
            throw new MachineException.Invalid(
                    "The machine \"" + machine.name() + "\" has a snapshot \"" + snapshot + "\" already.",
                    "Choose another name.");
        }
        ensure(directory.resolveSibling("."), machine);
        if (!memory) {
            copies.copy(machine, directory, deadline);
        } else if (context.alive(machine)) {
            copies.copyWithMemory(machine, MemorySnapshotNames.kept(machine, snapshot), directory, deadline);
        } else {
            throw new MachineException.WrongState(
                    "The machine \"" + machine.name() + "\" does not run, so it has no memory to keep.",
                    "Leave out the memory, or start it first.");
        }
        context.note(machine, MachineEvent.Kind.SNAPSHOT, snapshot.value());
    }

    /** Puts the disk back, and the memory if the snapshot has some: the next start then continues from it. */
    public PersistedMachine restore(PersistedMachine machine, MachineName snapshot) {
        Path kept = directory(machine, snapshot);
        if (disks.disks().find(kept).isEmpty()) {
            throw new MachineException.Invalid(
                    "The machine \"" + machine.name() + "\" has no snapshot \"" + snapshot + "\".",
                    "Its snapshots: " + names(machine) + ".");
        }
        Optional<SnapshotRef> memory = context.vms().snapshot(MemorySnapshotNames.kept(machine, snapshot));
        Path next = disks.directory(machine.name()).resolveSibling(".disk-restored");
        disks.disks().delete(next);
        if (memory.isPresent()) {
            disks.disks().create(next, memory.get());
        } else {
            disks.disks().copy(kept, next);
        }
        // From here on a crash leaves a machine that says that it has no disk, or one that boots: never another's
        // content.
        PersistedMachine rested = context.store()
                .update(machine.name(), now -> now.withStatus(now.status().withState(DiskState.STOPPED)));
        replace(machine, next);
        int size = disks.of(machine).sizeMiB() / MachineDisks.MIB_PER_GIB;
        PersistedMachine restored = context.store()
                .update(
                        machine.name(),
                        now -> now.withResources(now.resources().withDiskGb(Math.max(1, size)))
                                .withStatus(now.status()
                                        .withState(memory.isPresent() ? DiskState.SUSPENDED : DiskState.STOPPED)
                                        .withLastError(Optional.empty())
                                        .withLastEnd(Optional.empty())));
        context.note(rested, MachineEvent.Kind.RESTORED, snapshot.value());
        return restored;
    }

    private void replace(PersistedMachine machine, Path next) {
        try {
            disks.disks().delete(disks.directory(machine.name()));
            DurableFiles.publish(next, disks.directory(machine.name()));
        } catch (IOException e) {
            throw new MachineException.Storage("The disk cannot be replaced: " + e.getMessage() + ".", e);
        }
    }

    /** Lists them by name. */
    public List<KeptSnapshot> list(PersistedMachine machine) {
        Path all = context.store().directory(machine.name()).resolve(DIRECTORY);
        List<KeptSnapshot> snapshots = new ArrayList<>();
        if (Files.isDirectory(all)) {
            try (Stream<Path> entries = Files.list(all)) {
                for (Path entry : entries.sorted().toList()) {
                    String name = String.valueOf(entry.getFileName());
                    if (MachineName.isValid(name)) {
                        snapshots.add(kept(machine, new MachineName(name), entry));
                    }
                }
            } catch (IOException e) {
                throw new MachineException.Storage("The snapshots cannot be listed: " + e.getMessage() + ".", e);
            }
        }
        return snapshots;
    }

    private KeptSnapshot kept(PersistedMachine machine, MachineName name, Path directory) throws IOException {
        boolean memory =
                context.vms().snapshot(MemorySnapshotNames.kept(machine, name)).isPresent();
        return new KeptSnapshot(
                name, memory, Files.getLastModifiedTime(directory).toInstant());
    }

    private String names(PersistedMachine machine) {
        List<String> names =
                list(machine).stream().map(snapshot -> snapshot.name().value()).toList();
        return names.isEmpty() ? "none" : String.join(", ", names);
    }

    /**
     * Deletes one with its memory.
     *
     * @return whether there was one
     */
    public boolean delete(PersistedMachine machine, MachineName snapshot) {
        boolean was = disks.disks().find(directory(machine, snapshot)).isPresent();
        disks.disks().delete(directory(machine, snapshot));
        try {
            context.vms().deleteSnapshot(MemorySnapshotNames.kept(machine, snapshot));
        } catch (SnapshotException.NotFound without) {
            // Most have none.
        }
        return was;
    }

    private Path directory(PersistedMachine machine, MachineName snapshot) {
        return context.store()
                .directory(machine.name())
                .resolve(DIRECTORY)
                .resolve(snapshot.value())
                .toAbsolutePath();
    }

    private static void ensure(Path directory, PersistedMachine machine) {
        try {
            DurableFiles.ensureDirectory(directory.normalize());
        } catch (IOException e) {
            throw new MachineException.Storage(
                    "The snapshots of " + machine.name() + " cannot be kept: " + e.getMessage() + ".", e);
        }
    }
}
