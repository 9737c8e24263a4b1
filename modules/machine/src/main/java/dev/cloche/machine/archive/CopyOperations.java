package dev.cloche.machine.archive;

import dev.cloche.base.Deadline;
import dev.cloche.image.PullListener;
import dev.cloche.machine.DiskState;
import dev.cloche.machine.KeptSnapshot;
import dev.cloche.machine.MachineEvent;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineManager;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.machine.lifecycle.Cloning;
import dev.cloche.machine.lifecycle.MachineContext;
import dev.cloche.machine.lifecycle.MachineDisks;
import dev.cloche.machine.lifecycle.MachineRecovery;
import dev.cloche.machine.lifecycle.MachineSnapshots;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Takes and restores snapshots of machines, clones them, exports and imports them as files, and renames them. */
public final class CopyOperations {
    private final MachineContext context;
    private final MachineRecovery recovery;
    private final MachineSnapshots snapshots;
    private final Cloning cloning;
    private final MachineArchive archives;

    public CopyOperations(MachineContext context, MachineDisks disks, MachineRecovery recovery) {
        this.context = context;
        this.recovery = recovery;
        snapshots = new MachineSnapshots(context, disks);
        cloning = new Cloning(context, disks);
        archives = new MachineArchive(context, disks);
    }

    /** Does as {@link MachineManager#snapshot} promises. */
    public void snapshot(MachineName name, MachineName snapshot, boolean memory, Deadline deadline) {
        context.exclusively(name, deadline, machine -> {
            snapshots.take(machine, snapshot, memory, deadline);
            return snapshot;
        });
    }

    /** Does as {@link MachineManager#restore} promises. */
    public void restore(MachineName name, MachineName snapshot, Deadline deadline) {
        context.exclusively(name, deadline, machine -> {
            PersistedMachine now = recovery.reconcile(machine);
            requireRest(now, "restored");
            return snapshots.restore(now, snapshot);
        });
    }

    /** Does as {@link MachineManager#removeSnapshot} promises. */
    public boolean removeSnapshot(MachineName name, MachineName snapshot, Deadline deadline) {
        return context.exclusively(name, deadline, machine -> snapshots.delete(machine, snapshot));
    }

    /** Does as {@link MachineManager#snapshotsOf} promises. */
    public List<KeptSnapshot> snapshots(MachineName name) {
        return snapshots.list(context.store().load(name));
    }

    /** Does as {@link MachineManager#copy} promises. */
    public PersistedMachine copy(MachineName name, MachineName clone, boolean memory, Deadline deadline) {
        return context.exclusively(name, deadline, machine -> cloning.copy(machine, clone, memory, deadline));
    }

    /** Does as {@link MachineManager#export} promises. */
    public void export(MachineName name, Path target, Deadline deadline) {
        context.exclusively(name, deadline, machine -> {
            PersistedMachine now = recovery.reconcile(machine);
            requireRest(now, "exported");
            if (now.status().state() == DiskState.SUSPENDED) {
                throw new MachineException.WrongState(
                        "The machine \"" + name + "\" is suspended, and its disk is not whole without its memory.",
                        "Start and stop it first.");
            }
            archives.export(now, target);
            context.note(now, MachineEvent.Kind.EXPORTED, "");
            return name;
        });
    }

    /** Does as {@link MachineManager#importFrom} promises. */
    public PersistedMachine importFrom(
            Path archive, Optional<MachineName> name, PullListener listener, Deadline deadline) {
        return archives.importFrom(archive, name, listener, deadline);
    }

    /** Does as {@link MachineManager#rename} promises. */
    public PersistedMachine rename(MachineName from, MachineName to, Deadline deadline) {
        return context.exclusively(from, deadline, machine -> {
            // A VM knows the paths of its disk.
            requireRest(machine, "renamed");
            PersistedMachine renamed = context.store().rename(from, to);
            context.note(machine, MachineEvent.Kind.RENAMED, to.value());
            return renamed;
        });
    }

    private void requireRest(PersistedMachine machine, String what) {
        if (context.alive(machine)) {
            throw new MachineException.WrongState(
                    "The machine \"" + machine.name() + "\" runs and cannot be " + what + ".",
                    "Stop it first: cloche.machines().stop(\"" + machine.name() + "\", …)");
        }
    }
}
