package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.image.PullListener;
import dev.cloche.machine.DiskState;
import dev.cloche.machine.MachineEvent;
import dev.cloche.machine.MachineManager;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.MachineStatus;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.vm.VmId;
import java.util.List;
import java.util.function.UnaryOperator;

/** Turns copies of directories into machines of their own. */
public final class CopyAdoption {
    private final MachineContext context;

    public CopyAdoption(MachineContext context) {
        this.context = context;
    }

    /** Does as {@link MachineManager#adopt} promises. */
    public PersistedMachine adopt(MachineName name, PullListener listener, Deadline deadline) {
        PersistedMachine copy = context.store().loadCopy(name);
        VmId id = VmId.random();
        return context.creating(id, name, () -> {
            UnaryOperator<PersistedMachine> identity = original -> identified(original, name, id);
            if (copy.origin().image().isPresent()) {
                var _ = new MachineImage(context, listener).of(identity.apply(copy), deadline);
            }
            PersistedMachine adopted = context.store().adopt(name, identity);
            context.note(adopted, MachineEvent.Kind.ADOPTED, "a copy of " + copy.name());
            return adopted;
        });
    }

    private static PersistedMachine identified(PersistedMachine original, MachineName name, VmId id) {
        MachineStatus status = original.status();
        DiskState state = status.state() == DiskState.CREATED ? DiskState.CREATED : DiskState.STOPPED;
        return original.withName(name)
                .withVmId(id)
                // A port of the host leads into one machine.
                .withSettings(original.settings().withPublish(List.of()))
                .withStatus(MachineStatus.NEW.withState(state).withProvisionedAt(status.provisionedAt()));
    }
}
