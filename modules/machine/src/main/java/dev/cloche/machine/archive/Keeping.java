package dev.cloche.machine.archive;

import dev.cloche.base.Deadline;
import dev.cloche.image.PullListener;
import dev.cloche.machine.DiskState;
import dev.cloche.machine.KeptSnapshot;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.Machines;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.machine.lifecycle.Cloning;
import dev.cloche.machine.lifecycle.Ground;
import dev.cloche.machine.lifecycle.MachineDisks;
import dev.cloche.machine.lifecycle.MachineSnapshots;
import dev.cloche.machine.lifecycle.Recovery;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What is kept of machines: snapshots of them, clones, files to take elsewhere; and what needs them at rest as these do. */
public final class Keeping {
    private final Ground ground;
    private final Recovery recovery;
    private final MachineSnapshots snapshots;
    private final Cloning cloning;
    private final Transport transport;

    public Keeping(Ground ground, MachineDisks disks, Recovery recovery) {
        this.ground = ground;
        this.recovery = recovery;
        snapshots = new MachineSnapshots(ground, disks);
        cloning = new Cloning(ground, disks);
        transport = new Transport(ground, disks);
    }

    /** As {@link Machines#snapshot} promises. */
    public void snapshot(MachineName name, MachineName snapshot, boolean memory, Deadline deadline) {
        ground.working(name, deadline, machine -> {
            snapshots.take(machine, snapshot, memory, deadline);
            return snapshot;
        });
    }

    /** As {@link Machines#restore} promises. */
    public void restore(MachineName name, MachineName snapshot, Deadline deadline) {
        ground.working(name, deadline, machine -> {
            PersistedMachine now = recovery.settle(machine);
            requireRest(now, "restored");
            return snapshots.restore(now, snapshot);
        });
    }

    /** As {@link Machines#deleteSnapshot} promises. */
    public boolean deleteSnapshot(MachineName name, MachineName snapshot, Deadline deadline) {
        return ground.working(name, deadline, machine -> snapshots.delete(machine, snapshot));
    }

    /** As {@link Machines#snapshotsOf} promises. */
    public List<KeptSnapshot> snapshots(MachineName name) {
        return snapshots.list(ground.store().load(name));
    }

    /** As {@link Machines#copy} promises. */
    public PersistedMachine copy(MachineName name, MachineName clone, boolean memory, Deadline deadline) {
        return ground.working(name, deadline, machine -> cloning.copy(machine, clone, memory, deadline));
    }

    /** As {@link Machines#export} promises. */
    public void export(MachineName name, Path target, Deadline deadline) {
        ground.working(name, deadline, machine -> {
            PersistedMachine now = recovery.settle(machine);
            requireRest(now, "exported");
            if (now.status().state() == DiskState.SUSPENDED) {
                throw new MachineException.WrongState(
                        "The machine \"" + name + "\" is suspended, and its disk is not whole without its memory.",
                        "Start and stop it first.");
            }
            transport.export(now, target);
            ground.note(now, "exported", "");
            return name;
        });
    }

    /** As {@link Machines#importFrom} promises. */
    public PersistedMachine importFrom(
            Path archive, Optional<MachineName> name, PullListener listener, Deadline deadline) {
        return transport.take(archive, name, listener, deadline);
    }

    /** As {@link Machines#rename} promises. */
    public PersistedMachine rename(MachineName from, MachineName to, Deadline deadline) {
        return ground.working(from, deadline, machine -> {
            // A VM knows the paths of its disk.
            requireRest(machine, "renamed");
            PersistedMachine renamed = ground.store().rename(from, to);
            ground.note(machine, "renamed", to.value());
            return renamed;
        });
    }

    private void requireRest(PersistedMachine machine, String what) {
        if (ground.alive(machine)) {
            throw new MachineException.WrongState(
                    "The machine \"" + machine.name() + "\" runs and cannot be " + what + ".",
                    "Stop it first: cloche machine stop " + machine.name());
        }
    }
}
