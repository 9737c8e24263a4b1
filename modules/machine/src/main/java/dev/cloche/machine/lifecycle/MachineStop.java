package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.base.Printable;
import dev.cloche.machine.DiskState;
import dev.cloche.machine.MachineEvent;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineState;
import dev.cloche.machine.MachineStatus;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Stops machines and records how they came to rest. Its callers hold the machine's lock. */
public final class MachineStop {
    private static final Duration KILL_LIMIT = Duration.ofSeconds(30);

    private final MachineContext context;
    private final MachineDisks disks;

    public MachineStop(MachineContext context, MachineDisks disks) {
        this.context = context;
        this.disks = disks;
    }

    /** Asks the guest to end, kills it if it has not done so after {@code grace}, and writes down how it came to that. */
    PersistedMachine stop(PersistedMachine machine, Duration grace, Deadline deadline) {
        context.store().updateState(machine.name(), MachineState.STOPPING);
        context.note(machine, MachineEvent.Kind.STOPPING, "");
        Optional<VmExit> exit;
        try {
            exit = Optional.of(end(machine.vmId(), grace, deadline));
        } catch (VmException.NotFound | VmException.WrongState endedMeanwhile) {
            exit = context.vm(machine).flatMap(VmInfo::exit);
        }
        return stopped(
                machine,
                exit.map(how -> EndReason.asked(how, grace))
                        .orElse(EndReason.GONE)
                        .how());
    }

    /** Records that it has no VM any more, by request or because its guest powered off. */
    PersistedMachine stopped(PersistedMachine machine, String how) {
        PersistedMachine stopped =
                rest(machine, status -> status.withState(DiskState.STOPPED).withLastEnd(Optional.of(how)));
        context.note(machine, MachineEvent.Kind.STOPPED, how);
        return stopped;
    }

    /** Ends a VM that should not be: of a stop or a start that was cut short. */
    void kill(PersistedMachine machine) {
        try {
            context.vms().kill(machine.vmId(), Deadline.after(KILL_LIMIT));
        } catch (VmException.NotFound | VmException.WrongState endedMeanwhile) {
            // As was to be reached.
        }
    }

    /** A suspended machine whose continuation failed before its guest did anything is still suspended. */
    PersistedMachine failed(PersistedMachine machine, String why) {
        String printable = Printable.brief(why);
        PersistedMachine rested = rest(
                machine, status -> status.withState(disks.restingState(machine)).withLastError(Optional.of(printable)));
        context.note(machine, MachineEvent.Kind.FAILED, printable);
        return rested;
    }

    /**
     * Returns a machine as it is without its VM, for a caller that gives it another one at once: nothing is written
     * down before that is begun.
     */
    PersistedMachine resting(PersistedMachine machine) {
        return machine.withStatus(machine.status().atRest().withState(disks.restingState(machine)));
    }

    private PersistedMachine rest(PersistedMachine machine, UnaryOperator<MachineStatus> how) {
        return context.store()
                .update(
                        machine.name(),
                        now -> now.withStatus(how.apply(now.status().atRest())));
    }

    /** What is left of a VM that has ended goes, with its console. */
    void clear(PersistedMachine machine) {
        try {
            context.vms().destroy(machine.vmId());
        } catch (VmException.Busy held) {
            // The process that saw it end has not let go of it yet; that takes milliseconds.
            throw new MachineException.Busy(machine.name().value());
        }
    }

    private VmExit end(VmId id, Duration grace, Deadline deadline) {
        if (grace.isZero()) {
            return context.vms().kill(id, deadline.orAfter(KILL_LIMIT));
        }
        return context.vms().stop(id, grace, deadline);
    }
}
