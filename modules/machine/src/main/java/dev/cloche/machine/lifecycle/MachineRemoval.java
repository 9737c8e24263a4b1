package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.machine.MachineEvent;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineManager;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.PersistedMachine;

/**
 * Removes machines, whole or broken, with their disks and their snapshots: any process that holds the machine's lock may, once its
 * VM has ended or by force.
 */
public final class MachineRemoval {
    private final MachineContext context;
    private final ExternalResources resources;
    private final OrphanedMachines orphans;

    public MachineRemoval(MachineContext context, OrphanedMachines orphans) {
        this.context = context;
        this.orphans = orphans;
        resources = new ExternalResources(context);
    }

    /** Does what {@link MachineManager#remove} promises. */
    public boolean remove(MachineName name, boolean force, Deadline deadline) {
        boolean was = removed(name, force, deadline);
        orphans.sweepQuietly();
        return was;
    }

    private boolean removed(MachineName name, boolean force, Deadline deadline) {
        try {
            return context.exclusively(name, deadline, machine -> {
                if (context.alive(machine) && !force) {
                    throw new MachineException.WrongState(
                            "The machine \"" + name + "\" runs.",
                            "Stop it first, or remove it with force: cloche.machines().remove(\"" + name + "\", true)");
                }
                return discard(machine);
            });
        } catch (MachineException.NotFound none) {
            return force && removeUnusable(name, deadline);
        } catch (MachineException.Broken broken) {
            if (!force) {
                throw broken;
            }
            return removeUnusable(name, deadline);
        }
    }

    /** What is kept for a directory is known although its file does not say so. A copy has nothing. */
    private boolean removeUnusable(MachineName name, Deadline deadline) {
        orphans.discardOf(name, deadline);
        return context.store().remove(name);
    }

    /** Files last, so that what resists stays visible and is tried again. */
    private boolean discard(PersistedMachine machine) {
        resources.discard(machine.vmId(), machine.name().value());
        boolean was = context.store().remove(machine.name());
        resources.forget(machine.vmId());
        context.note(machine, MachineEvent.Kind.REMOVED, "");
        return was;
    }
}
