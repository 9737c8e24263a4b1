package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.Machines;
import dev.cloche.machine.PersistedMachine;

/** The end of machines, whole or broken. */
public final class Removal {
    private final Ground ground;
    private final Belongings belongings;
    private final Orphans orphans;

    public Removal(Ground ground, Orphans orphans) {
        this.ground = ground;
        this.orphans = orphans;
        belongings = new Belongings(ground);
    }

    /** As {@link Machines#remove} promises. */
    public boolean remove(MachineName name, boolean force, Deadline deadline) {
        boolean was = removed(name, force, deadline);
        orphans.sweepQuietly();
        return was;
    }

    private boolean removed(MachineName name, boolean force, Deadline deadline) {
        try {
            return ground.working(name, deadline, machine -> {
                if (ground.alive(machine) && !force) {
                    throw new MachineException.WrongState(
                            "The machine \"" + name + "\" runs.",
                            "Stop it with: cloche machine stop " + name + ", or give --force.");
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
        return ground.store().remove(name);
    }

    /** Files last, so that what resists stays visible and is tried again. */
    private boolean discard(PersistedMachine machine) {
        belongings.discard(machine.vmId(), machine.name().value());
        boolean was = ground.store().remove(machine.name());
        belongings.forget(machine.vmId());
        ground.note(machine, "removed", "");
        return was;
    }
}
