package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.image.PullListener;
import dev.cloche.machine.DiskState;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineManager;
import dev.cloche.machine.MachineName;
import dev.cloche.machine.MachineState;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.machine.RunningMachine;
import java.time.Duration;

/** Starts, stops, connects to and suspends machines. */
public final class PowerOperations {
    private final MachineContext context;
    private final MachineStop stop;
    private final MachineDisks disks;
    private final MachineRecovery recovery;
    private final Suspension suspension;

    public PowerOperations(MachineContext context, MachineStop stop, MachineDisks disks, MachineRecovery recovery) {
        this.context = context;
        this.stop = stop;
        this.disks = disks;
        this.recovery = recovery;
        suspension = new Suspension(context, disks);
    }

    /** Does what {@link MachineManager#start} promises. */
    public RunningMachine start(MachineName name, Duration waitForRoom, PullListener listener, Deadline deadline) {
        return context.exclusively(name, deadline, machine -> {
            MachineStart start = new MachineStart(context, stop, disks, listener, waitForRoom);
            PersistedMachine now =
                    isUp(machine) ? machine : new MachineRecovery(context, start, stop).recover(machine, deadline);
            return context.alive(now) ? start.connect(now, deadline) : start.start(now, deadline);
        });
    }

    /** Does what {@link MachineManager#connect} promises. */
    public RunningMachine connect(MachineName name, Deadline deadline) {
        PersistedMachine machine = context.store().load(name);
        context.store().claim(machine);
        MachineState state = context.info(machine).state();
        if (state != MachineState.RUNNING) {
            throw new MachineException.WrongState(
                    "The machine \"" + name + "\" is " + state.word() + ".",
                    "Start it with: cloche.machines().start(\"" + name + "\")");
        }
        return new MachineStart(context, stop, disks, PullListener.none(), Duration.ZERO).connect(machine, deadline);
    }

    /** Does what {@link MachineManager#stop} promises. */
    public void stop(MachineName name, Duration grace, Deadline deadline) {
        context.exclusively(name, deadline, machine -> {
            PersistedMachine now = recovery.reconcile(machine);
            boolean rests = !context.alive(now) && !now.needsRecovery();
            if (rests && now.status().state() != DiskState.SUSPENDED) {
                return now;
            }
            // What was suspended loses its memory, as one that runs does.
            PersistedMachine stopped =
                    rests ? stop.stopped(now, "its memory was given up") : stop.stop(now, grace, deadline);
            suspension.sweep(stopped);
            return stopped;
        });
    }

    /** Does what {@link MachineManager#suspend} promises. */
    public void suspend(MachineName name, Deadline deadline) {
        context.exclusively(name, deadline, machine -> {
            PersistedMachine now = isUp(machine) ? machine : recovery.recover(machine, deadline);
            if (now.status().state() == DiskState.SUSPENDED) {
                return now;
            }
            if (!context.alive(now)) {
                throw new MachineException.WrongState(
                        "The machine \"" + name + "\" does not run and cannot be suspended.",
                        "Start it first: cloche.machines().start(\"" + name + "\")");
            }
            PersistedMachine suspended = suspension.suspend(now, deadline);
            suspension.sweep(suspended);
            return suspended;
        });
    }

    /** Returns whether nothing needs to be recovered, because its start was completed and its VM runs. */
    private boolean isUp(PersistedMachine machine) {
        return machine.needsRecovery() && machine.status().startedAt().isPresent() && context.alive(machine);
    }
}
