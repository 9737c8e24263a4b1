package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.machine.BrokenMachine;
import dev.cloche.machine.MachineEntry;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineInfo;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.MachineState;
import dev.cloche.machine.MachineView;
import dev.cloche.machine.Machines;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.vm.VmInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Machines as they are now, for who looks and for who recovers them: what has ended is written down. */
public final class MachineViews {
    private final Ground ground;
    private final Recovery recovery;
    private final Suspension suspension;

    public MachineViews(Ground ground, Recovery recovery, Suspension suspension) {
        this.ground = ground;
        this.suspension = suspension;
        this.recovery = recovery;
    }

    /** As {@link Machines#list} promises. */
    public List<MachineView> list() {
        List<MachineView> views = new ArrayList<>();
        for (MachineEntry entry : ground.store().loadAll()) {
            switch (entry) {
                case BrokenMachine broken -> views.add(new MachineView.Broken(broken));
                case MachineEntry.Sound(PersistedMachine machine) -> views.add(new MachineView.Sound(settled(machine)));
            }
        }
        return views;
    }

    /** As {@link Machines#get} promises. */
    public MachineInfo get(MachineName name) {
        return settled(ground.store().load(name));
    }

    /** As {@link Machines#await} promises. */
    public MachineInfo await(MachineName name, Set<MachineState> states, Deadline deadline) {
        try (StateWait wait = new StateWait(ground, this)) {
            return wait.until(name, states, deadline);
        }
    }

    private MachineInfo settled(PersistedMachine machine) {
        Optional<VmInfo> vm = ground.vm(machine);
        if (Settlement.of(machine, vm) instanceof Settlement.Settle) {
            try {
                return ground.info(
                        ground.working(machine.name(), Deadline.after(Duration.ZERO), now -> recovery.settle(now)));
            } catch (MachineException.NotFound | MachineException.Busy othersAreAtIt) {
                // They write it down.
            }
        }
        return MachineInfo.of(machine, vm, ground.inWork(machine));
    }

    /** As {@link Machines#recover} promises. */
    public List<MachineView> recover(Deadline deadline) {
        for (MachineEntry entry : ground.store().loadAll()) {
            if (entry instanceof MachineEntry.Sound(PersistedMachine machine)) {
                recover(machine.name(), deadline);
            }
        }
        return list();
    }

    public void recover(MachineName name, Deadline deadline) {
        try {
            ground.working(name, deadline, now -> {
                PersistedMachine recovered = recovery.recover(now, deadline);
                suspension.sweep(recovered);
                return recovered;
            });
        } catch (MachineException.NotFound | MachineException.Broken changedMeanwhile) {
            // Nothing to recover.
        }
    }

    /** As {@link Machines#autostarted} promises. */
    public List<MachineName> autostarted() {
        List<MachineName> names = new ArrayList<>();
        for (MachineEntry entry : ground.store().loadAll()) {
            if (entry instanceof MachineEntry.Sound(PersistedMachine machine)
                    && machine.settings().autostart()) {
                names.add(machine.name());
            }
        }
        return names;
    }
}
