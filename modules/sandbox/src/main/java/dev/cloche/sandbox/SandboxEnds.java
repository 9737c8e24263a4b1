package dev.cloche.sandbox;

import dev.cloche.base.ClocheException;
import dev.cloche.base.Deadline;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmInterruptedException;
import dev.cloche.vm.VmNotFoundException;
import dev.cloche.vm.VmStateException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How sandboxes end, whether somebody asks for it, sees it happen or finds out later, and the removal of what they leave.
 *
 * <p>Any number of threads and processes may do all of this at once to one sandbox: the first word on an end is the one
 * that is recorded, and removing what is gone already is success.
 */
final class SandboxEnds {
    private static final Duration KILL_LIMIT = Duration.ofSeconds(30);
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(30);
    /** What a living owner has for noticing the end of its VM and letting go of it; takes milliseconds. */
    private static final Duration RELEASE_LIMIT = Duration.ofSeconds(10);
    /** The owner's lock belongs to another process; the kernel tells nobody when it is free. */
    private static final long LOCK_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** In which an end can be asked for. */
    private static final Set<SandboxStatus> ENDABLE =
            EnumSet.of(SandboxStatus.RUNNING, SandboxStatus.PAUSED, SandboxStatus.DRAINING);

    private final Foundations ground;

    SandboxEnds(Foundations ground) {
        this.ground = ground;
    }

    /** The record as it is true now; empty if it was ephemeral and has ended. */
    Optional<SandboxRecord> settled(SandboxRecord record) {
        if (record.status().active()) {
            Optional<Ending> ending = Settlement.of(record, vmInfo(record), ownerAlive(record));
            if (ending.isEmpty()) {
                return Optional.of(record);
            }
            record(record.id(), ending.get());
        } else if (!record.ephemeral()) {
            return Optional.of(record);
        }
        clean(record.id(), Deadline.after(Duration.ZERO));
        return ground.store().byId(record.id());
    }

    /** Records an end, unless one is recorded already. */
    void record(long id, Ending ending) {
        ground.store().end(id, ending);
    }

    /**
     * Lets a sandbox outlive its owner. Recorded first: one that is recorded as detached and ends with its owner is settled by
     * whoever looks next, but one that runs on although its owner is recorded as watching over it would be nobody's.
     */
    void detach(long id, Vm vm) {
        if (ground.store().detach(id)) {
            vm.detach();
        }
    }

    /** Why a sandbox is over whose VM has ended in this way. */
    Ending ending(long id, VmExit exit) {
        Optional<SandboxRecord> record = ground.store().byId(id);
        // A killed VM without a record was killed by who removed the record.
        Optional<TerminationReason> asked = record.isPresent()
                ? Settlement.asked(record.get())
                : Optional.of(TerminationReason.SHUTDOWN_REQUESTED).filter(_ -> exit.cause() == VmExit.Cause.KILLED);
        return record.flatMap(SandboxRecord::latestRun)
                .flatMap(RunRecord::ending)
                .orElseGet(() -> Ending.of(exit, asked));
    }

    /** Its owner has seen its VM end and let go of it: records how, and removes the sandbox if it is ephemeral. */
    void observed(long id) {
        recordEndOf(id, Optional.empty());
        cleanPatiently(id);
    }

    /**
     * Asks the guest to end, and kills it if it has not done so after {@code grace}. Of a sandbox that has ended, nothing
     * happens.
     *
     * @throws SandboxException.Starting if a living process is starting it
     */
    void stop(SandboxRecord record, Duration grace, Deadline deadline) {
        if (!record.status().active()) {
            return;
        }
        if (record.status() == SandboxStatus.STARTING && ownerAlive(record)) {
            throw new SandboxException.Starting(record.name());
        }
        ground.store().ask(record.id(), TerminationReason.SHUTDOWN_REQUESTED, ENDABLE);
        try {
            endVm(vmOf(record), grace, deadline);
        } catch (VmNotFoundException | VmStateException endedMeanwhile) {
            // As was to be reached.
        }
        recordEndOf(record.id(), Optional.of(TerminationReason.SHUTDOWN_REQUESTED));
        clean(record.id(), Deadline.after(Duration.ZERO));
    }

    private void endVm(VmId id, Duration grace, Deadline deadline) {
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

    private void recordEndOf(long id, Optional<TerminationReason> asked) {
        Optional<SandboxRecord> active =
                ground.store().byId(id).filter(record -> record.status().active());
        if (active.isPresent()) {
            Optional<VmInfo> vm = vmInfo(active.get());
            Optional<TerminationReason> why = Settlement.asked(active.get()).or(() -> asked);
            if (vm.filter(info -> info.state().live()).isEmpty()) {
                record(id, Ending.ofLeftover(vm.flatMap(VmInfo::exit), why));
            }
        }
    }

    /** Removes the sandbox if it is ephemeral and over. What resists stays recorded and visible, and is tried again. */
    void cleanPatiently(long id) {
        clean(id, Deadline.after(RELEASE_LIMIT));
    }

    private void clean(long id, Deadline patience) {
        Optional<SandboxRecord> over = ground.store()
                .byId(id)
                .filter(record -> record.ephemeral() && record.status().terminal());
        if (over.isPresent()) {
            try {
                remove(over.get(), patience);
            } catch (ClocheException resists) {
                System.getLogger(SandboxEnds.class.getName())
                        .log(System.Logger.Level.DEBUG, "sandbox " + over.get().name() + " cannot go yet", resists);
            }
        }
    }

    /** Removes a sandbox that has ended, waiting for its owner to let go of it. */
    void remove(SandboxRecord ended, Deadline deadline) {
        Deadline patience = deadline.orAfter(RELEASE_LIMIT);
        while (true) {
            try {
                discard(ended.id(), ended.name(), ended.latestRun().map(RunRecord::vm));
                return;
            } catch (ClocheException held) {
                if (patience.passed() || Thread.currentThread().isInterrupted()) {
                    throw held;
                }
                LockSupport.parkNanos(LOCK_PAUSE_NANOS);
            }
        }
    }

    /**
     * Removes all of a sandbox whose end is recorded: files before the row, so that a sandbox whose files resist stays
     * visible and is tried again.
     */
    void discard(long id, String name, Optional<VmId> vm) {
        vm.ifPresent(this::destroy);
        ground.images().release(Foundations.holder(id, name));
        ground.store().deleteEnded(id);
    }

    private void destroy(VmId id) {
        // Who records an end before he carries it out may have died in between.
        if (ground.vms().get(id).filter(vm -> vm.state().live()).isPresent()) {
            try {
                ground.vms().kill(id, Deadline.after(KILL_LIMIT));
            } catch (VmNotFoundException | VmStateException endedMeanwhile) {
                // As was to be reached.
            }
        }
        ground.vms().destroy(id);
    }

    private Optional<VmInfo> vmInfo(SandboxRecord record) {
        return record.latestRun().flatMap(run -> ground.vms().get(run.vm()));
    }

    private static boolean ownerAlive(SandboxRecord record) {
        return record.latestRun().map(run -> run.owner().isAlive()).orElse(false);
    }

    /** @throws SandboxException.NotRunning if it has never run */
    static VmId vmOf(SandboxRecord record) {
        return record.latestRun()
                .map(RunRecord::vm)
                .orElseThrow(() -> new SandboxException.NotRunning(record.name(), record.status()));
    }
}
