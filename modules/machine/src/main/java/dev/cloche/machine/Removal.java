package dev.cloche.machine;

import dev.cloche.base.Deadline;

/** The end of machines, whole or broken. */
final class Removal {
    private final Ground ground;
    private final MachineEnds ends;
    private final Suspension suspension;

    Removal(Ground ground, MachineEnds ends, MachineDisks disks) {
        this.ground = ground;
        this.ends = ends;
        suspension = new Suspension(ground, disks);
    }

    /** As {@link Machines#remove} promises. */
    boolean remove(MachineName name, boolean force, Deadline deadline) {
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
            return force && ground.store().remove(name);
        } catch (MachineException.Broken broken) {
            if (!force) {
                throw broken;
            }
            new BrokenRemains(ground).discard(name);
            return ground.store().remove(name);
        }
    }

    /** Files last, so that what resists stays visible and is tried again. */
    private boolean discard(PersistedMachine machine) {
        ends.kill(machine);
        ends.clear(machine);
        suspension.deleteAll(machine);
        ground.images().release(Ground.holder(machine));
        boolean was = ground.store().remove(machine.name());
        ground.forget(machine);
        ground.note(machine, "removed", "");
        return was;
    }
}
