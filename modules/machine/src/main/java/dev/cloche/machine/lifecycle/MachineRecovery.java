package dev.cloche.machine.lifecycle;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.base.Printable;
import dev.cloche.machine.MachineEvent;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.PersistedMachine;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import java.time.Duration;

/**
 * Reconciles machines with their VMs: compares the two and does what {@link ReconcileRules} says. Its callers hold the
 * machine's lock.
 */
public final class MachineRecovery {
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);

    /** What a guest gets once more: how long it should have had is not recorded. */
    private static final Duration FINISHING_GRACE = Duration.ofSeconds(10);

    private final MachineContext context;
    private final MachineStart start;
    private final MachineStop stop;

    public MachineRecovery(MachineContext context, MachineStart start, MachineStop stop) {
        this.context = context;
        this.start = start;
        this.stop = stop;
    }

    /** Does all that is to be done, and answers the machine as it is then, its file and its VM in accord. */
    PersistedMachine recover(PersistedMachine machine, Deadline deadline) {
        switch (ReconcileRules.of(machine, context.vm(machine))) {
            case ReconcileRules.Nothing() -> {
                return machine;
            }
            case ReconcileRules.Adopt() -> adopt(machine, deadline);
            case ReconcileRules.FinishStop() -> {
                var _ = stop.stop(machine, FINISHING_GRACE, deadline);
            }
            case ReconcileRules.Kill() -> stop.kill(machine);
            case ReconcileRules.RecordEnd(EndReason(boolean failed, String how)) -> {
                var _ = failed ? stop.failed(machine, how) : stop.stopped(machine, how);
            }
            case ReconcileRules.Restart(String why) -> restart(machine, why, deadline);
        }
        return context.store().load(machine.name());
    }

    /** Settles only what needs no start, and takes no time: for callers that merely look. */
    public PersistedMachine reconcile(PersistedMachine machine) {
        return switch (ReconcileRules.of(machine, context.vm(machine))) {
            case ReconcileRules.RecordEnd _ -> recover(machine, Deadline.none());
            default -> machine;
        };
    }

    private void adopt(PersistedMachine machine, Deadline deadline) {
        boolean brought = machine.status().startedAt().isPresent();
        try (Vm vm = context.vms().adopt(machine.vmId(), deadline.orAfter(ANSWER_LIMIT))) {
            vm.guest().ping(deadline.orAfter(ANSWER_LIMIT));
            if (!brought) {
                start.complete(machine, vm, deadline);
            }
            context.note(machine, MachineEvent.Kind.ADOPTED, "");
        } catch (VmException.Busy owned) {
            // A living process looks after it.
        } catch (MachineException.ProvisionFailed usable) {
            // Noted, and its own affair: the machine runs.
        } catch (VmException.Interrupted given) {
            throw given;
        } catch (VmException deaf) {
            stop.kill(machine);
            String why = "its guest did not answer: " + deaf.sentence();
            if (machine.settings().restartPolicy().restarts(true)) {
                restart(machine, why, deadline);
            } else {
                stop.failed(machine, why);
            }
        }
    }

    private void restart(PersistedMachine machine, String why, Deadline deadline) {
        context.note(machine, MachineEvent.Kind.RESTARTING, Printable.brief(why));
        try {
            start.start(stop.resting(machine), deadline).close();
        } catch (MachineException.Interrupted | VmException.Interrupted given) {
            throw given;
        } catch (ClocheException failed) {
            // One that does not come up must not keep the others from it; its file says why, also if nothing was begun.
            PersistedMachine now = context.store().load(machine.name());
            if (now.needsRecovery() && !context.alive(now)) {
                stop.failed(now, failed.sentence());
            }
            System.getLogger(MachineRecovery.class.getName())
                    .log(System.Logger.Level.DEBUG, "machine " + machine.name() + " cannot be restarted", failed);
        }
    }
}
