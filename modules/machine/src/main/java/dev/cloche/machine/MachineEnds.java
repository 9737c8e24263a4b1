package dev.cloche.machine;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmBusyException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInterruptedException;
import dev.cloche.vm.VmNotFoundException;
import dev.cloche.vm.VmStateException;
import java.time.Duration;
import java.util.Optional;

/** How machines come to rest. Its callers hold the machine's lock. */
final class MachineEnds {
    private static final Duration KILL_LIMIT = Duration.ofSeconds(30);
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(30);

    private final Ground ground;
    private final MachineDisks disks;

    MachineEnds(Ground ground, MachineDisks disks) {
        this.ground = ground;
        this.disks = disks;
    }

    /** Asks the guest to end, kills it if it has not done so after {@code grace}, and writes down that it has. */
    PersistedMachine stop(PersistedMachine machine, Duration grace, Deadline deadline) {
        ground.store().updateState(machine.name(), MachineState.STOPPING);
        ground.note(machine, "stopping", "");
        try {
            end(machine.vmId(), grace, deadline);
        } catch (VmNotFoundException | VmStateException endedMeanwhile) {
            // As was to be reached.
        }
        PersistedMachine stopped = rest(machine, DiskState.STOPPED, Optional.empty());
        ground.note(machine, "stopped", "");
        return stopped;
    }

    /** Ends a VM that should not be: of a stop or a start that was cut short. */
    void kill(PersistedMachine machine) {
        try {
            ground.vms().kill(machine.vmId(), Deadline.after(KILL_LIMIT));
        } catch (VmNotFoundException | VmStateException endedMeanwhile) {
            // As was to be reached.
        }
    }

    /** Writes down that it has no VM any more, and why. */
    PersistedMachine rest(PersistedMachine machine, DiskState state, Optional<String> error) {
        return ground.store()
                .update(
                        machine.name(),
                        now -> now.withStatus(now.status()
                                .withState(state)
                                .withIpAddress(Optional.empty())
                                .withStartedAt(Optional.empty())
                                .withLastError(error.map(Printable::of))));
    }

    /** A suspended machine whose continuation failed before its guest did anything is still suspended. */
    PersistedMachine failed(PersistedMachine machine, String why) {
        PersistedMachine rested = rest(machine, disks.restingState(machine), Optional.of(why));
        ground.note(machine, "failed", Printable.of(why));
        return rested;
    }

    /** What is left of a VM that has ended goes, with its console. */
    void clear(PersistedMachine machine) {
        try {
            ground.vms().destroy(machine.vmId());
        } catch (VmBusyException held) {
            // The process that saw it end has not let go of it yet; that takes milliseconds.
            throw new MachineException.Busy(machine.name().value());
        }
    }

    private void end(VmId id, Duration grace, Deadline deadline) {
        if (grace.isZero()) {
            ground.vms().kill(id, deadline.orAfter(KILL_LIMIT));
            return;
        }
        try (Vm vm = ground.vms().connect(id, deadline.orAfter(CONNECT_LIMIT))) {
            vm.stop(grace, deadline);
        } catch (VmNotFoundException | VmStateException | VmInterruptedException noReasonToKill) {
            throw noReasonToKill;
        } catch (ClocheException deaf) {
            // Its guest does not answer, which is no reason to let it live; nor is that this took all of the time.
            ground.vms().kill(id, Deadline.after(KILL_LIMIT));
        }
    }
}
