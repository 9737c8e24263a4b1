package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.machine.BrokenMachine;
import dev.cloche.machine.CurrentMachine;
import dev.cloche.machine.MachineEntry;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineManager;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.MachineState;
import dev.cloche.machine.MachineView;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.vm.VmInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Shows machines as they are now, for callers that list them and for recovery; records what has ended. */
public final class MachineViews {
    private final MachineContext context;
    private final MachineRecovery recovery;
    private final Suspension suspension;

    public MachineViews(MachineContext context, MachineRecovery recovery, Suspension suspension) {
        this.context = context;
        this.suspension = suspension;
        this.recovery = recovery;
    }

    /** Does what {@link MachineManager#list} promises. */
    public List<MachineView> list() {
        List<MachineView> views = new ArrayList<>();
        for (MachineEntry entry : context.store().loadAll()) {
            switch (entry) {
                case BrokenMachine broken -> views.add(new MachineView.Broken(broken));
                case MachineEntry.Usable(PersistedMachine machine) ->
                    views.add(new MachineView.Usable(settled(machine)));
            }
        }
        return views;
    }

    /** Does what {@link MachineManager#get} promises. */
    public CurrentMachine get(MachineName name) {
        return settled(context.store().load(name));
    }

    /** Does what {@link MachineManager#await} promises. */
    public CurrentMachine await(MachineName name, Set<MachineState> states, Deadline deadline) {
        try (StateWait wait = new StateWait(context, this)) {
            return wait.until(name, states, deadline);
        }
    }

    private CurrentMachine settled(PersistedMachine machine) {
        Optional<VmInfo> vm = context.vm(machine);
        if (ReconcileRules.of(machine, vm) instanceof ReconcileRules.RecordEnd) {
            try {
                return context.info(context.exclusively(
                        machine.name(), Deadline.after(Duration.ZERO), now -> recovery.reconcile(now)));
            } catch (MachineException.NotFound | MachineException.Busy othersAreAtIt) {
                // They write it down.
            }
        }
        return CurrentMachine.of(machine, vm, context.inWork(machine));
    }

    /** Does what {@link MachineManager#recover} promises. */
    public List<MachineView> recover(Deadline deadline) {
        for (MachineEntry entry : context.store().loadAll()) {
            if (entry instanceof MachineEntry.Usable(PersistedMachine machine)) {
                recover(machine.name(), deadline);
            }
        }
        return list();
    }

    public void recover(MachineName name, Deadline deadline) {
        try {
            context.exclusively(name, deadline, now -> {
                PersistedMachine recovered = recovery.recover(now, deadline);
                suspension.sweep(recovered);
                return recovered;
            });
        } catch (MachineException.NotFound | MachineException.Broken changedMeanwhile) {
            // Nothing to recover.
        }
    }

    /** Does what {@link MachineManager#autostarted} promises. */
    public List<MachineName> autostarted() {
        List<MachineName> names = new ArrayList<>();
        for (MachineEntry entry : context.store().loadAll()) {
            if (entry instanceof MachineEntry.Usable(PersistedMachine machine)
                    && machine.settings().autostart()) {
                names.add(machine.name());
            }
        }
        return names;
    }
}
