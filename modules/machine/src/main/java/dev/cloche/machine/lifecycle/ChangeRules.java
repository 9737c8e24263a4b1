package dev.cloche.machine.lifecycle;

import dev.cloche.machine.DiskState;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineSettings;
import dev.cloche.machine.PersistedMachine;
import java.util.List;

/** Says which changes of a machine's file make sense. Pure. */
public final class ChangeRules {
    private ChangeRules() {}

    /**
     * Refuses what would part a machine from its disk, its memory or its VM.
     *
     * @throws MachineException.Invalid if the change is none that a person may make
     * @throws MachineException.Unsupported if the machine would ask for what Cloche cannot do, and could not be started
     * @throws MachineException.WrongState if the machine's state does not allow it
     */
    public static void check(PersistedMachine before, PersistedMachine after) {
        if (!after.vmId().equals(before.vmId())) {
            throw new MachineException.Invalid(
                    "The vm_id of a machine does not change: its VM and its image are found by it.",
                    "Leave it as it was: " + before.vmId());
        }
        if (after.resources().diskGb() < before.resources().diskGb()) {
            throw new MachineException.Invalid(
                    "The disk of the machine \"" + before.name() + "\" has "
                            + before.resources().diskGb() + " GiB and cannot become smaller.",
                    "Give at least what it has.");
        }
        if (after.status().state() != before.status().state()) {
            throw new MachineException.Invalid(
                    "The state of a machine is what it is, not what its file is made to say.",
                    "Use cloche.machines().start(…), stop or suspend.");
        }
        if (!after.origin().image().equals(before.origin().image())
                && before.origin().image().isPresent()) {
            throw new MachineException.Invalid(
                    "The image of a machine does not change: what is on its disk belongs to that image.",
                    "Make another machine from the other image.");
        }
        List<String> foreign = after.foreign().keysBeside(before.foreign());
        if (!foreign.isEmpty()) {
            throw new MachineException.Unsupported(
                    "The machine \"" + before.name() + "\" would ask for " + String.join(", ", foreign)
                            + ", which Cloche cannot do: it boots every machine from a disk and with a kernel of its own.",
                    "Leave that out.");
        }
        MachineSettings old = before.settings();
        MachineSettings wanted = after.settings();
        if (wanted.network() != old.network() || !wanted.publish().equals(old.publish())) {
            var _ = MachineNetwork.spec(wanted);
        }
        boolean suspended = before.status().state() == DiskState.SUSPENDED;
        if (suspended && !after.resources().equals(before.resources())) {
            throw new MachineException.WrongState(
                    "The machine \"" + before.name() + "\" is suspended, and its memory is of the size that it has.",
                    "Start it, and change it then.");
        }
        boolean sameVm = wanted.network() == old.network() && wanted.init().equals(old.init());
        if (suspended && !sameVm) {
            throw new MachineException.WrongState(
                    "The machine \"" + before.name()
                            + "\" is suspended, and its memory has the network and the init that it has.",
                    "Start it, and change it then.");
        }
    }
}
