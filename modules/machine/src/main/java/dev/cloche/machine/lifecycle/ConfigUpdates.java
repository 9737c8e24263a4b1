package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.machine.ChangedMachine;
import dev.cloche.machine.MachineEvent;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineManager;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.MachineSettings;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.machine.config.MachineDocument;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Makes the changes of machines' files that people ask for: checks them against what the machine is, and applies them to its
 * disk too.
 */
public final class ConfigUpdates {
    private final MachineContext context;
    private final MachineDisks disks;

    public ConfigUpdates(MachineContext context, MachineDisks disks) {
        this.context = context;
        this.disks = disks;
    }

    /**
     * Does as {@link MachineManager#change} promises.
     *
     * @param script in place of the one that it has; unless it is the same one, it runs at the next start
     */
    public ChangedMachine change(
            MachineName name,
            UnaryOperator<PersistedMachine> mutation,
            Optional<ProvisionScript> script,
            Deadline deadline) {
        return context.exclusively(name, deadline, machine -> {
            PersistedMachine wanted = mutation.apply(machine);
            ChangeRules.check(machine, wanted);
            disks.resize(machine, wanted, deadline);
            Path directory = context.store().directory(name);
            Optional<String> next = script.flatMap(given -> given.beside(machine, directory));
            PersistedMachine after = context.store().update(name, now -> {
                PersistedMachine changed = now.equals(machine) ? wanted : again(mutation, now);
                return next.map(file -> withScript(changed, file)).orElse(changed);
            });
            Optional<String> old = machine.settings().provision();
            if (next.isPresent() && old.isPresent()) {
                ProvisionScript.forget(directory, old.get());
            }
            return changed(machine, after, deadline);
        });
    }

    /** Applies a change to a file that was edited while this checked it, so that the edit is not lost. */
    private static PersistedMachine again(UnaryOperator<PersistedMachine> mutation, PersistedMachine edited) {
        PersistedMachine changed = mutation.apply(edited);
        ChangeRules.check(edited, changed);
        return changed;
    }

    private static PersistedMachine withScript(PersistedMachine machine, String file) {
        return machine.withSettings(machine.settings().withProvision(Optional.of(file)))
                .withStatus(machine.status().withProvisionedAt(Optional.empty()));
    }

    /** Does as {@link MachineManager#replaceText} promises. */
    public ChangedMachine replaceText(MachineName name, byte[] seen, byte[] text, Deadline deadline) {
        PersistedMachine parsed = parsed(name, text);
        Set<String> unknown = MachineDocument.unknownKeys(text);
        unknown.removeAll(MachineDocument.unknownKeys(seen));
        if (isBroken(name)) {
            return new ChangedMachine(context.store().replace(name, seen, text), false, List.copyOf(unknown));
        }
        return context.exclusively(name, deadline, machine -> {
            ChangeRules.check(machine, parsed);
            disks.resize(machine, parsed, deadline);
            ChangedMachine changed = changed(machine, context.store().replace(name, seen, text), deadline);
            return new ChangedMachine(changed.machine(), changed.atNextStart(), List.copyOf(unknown));
        });
    }

    /** The text stands in no file that a message could name. */
    private PersistedMachine parsed(MachineName name, byte[] text) {
        try {
            return context.store().parse(name, text);
        } catch (MachineException.Broken broken) {
            throw new MachineException.Unusable(broken.entry());
        }
    }

    private boolean isBroken(MachineName name) {
        try {
            context.store().load(name);
            return false;
        } catch (MachineException.Broken broken) {
            return true;
        }
    }

    private ChangedMachine changed(PersistedMachine before, PersistedMachine after, Deadline deadline) {
        // Also where nothing is changed: the process that changed it may have died, or failed, before this.
        disks.throttle(after, deadline);
        if (after.equals(before)) {
            return new ChangedMachine(after, false);
        }
        context.note(after, MachineEvent.Kind.CHANGED, "");
        MachineSettings sameDisk =
                after.settings().withDiskThrottle(before.settings().diskThrottle());
        boolean sameVm =
                after.resources().withDiskGb(1).equals(before.resources().withDiskGb(1))
                        && sameDisk.equals(before.settings());
        return new ChangedMachine(after, context.alive(after) && !sameVm);
    }
}
