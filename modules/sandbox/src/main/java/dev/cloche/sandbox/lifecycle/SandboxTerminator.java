package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.sandbox.RestartPolicy;
import dev.cloche.sandbox.RunRecord;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.Termination;
import dev.cloche.sandbox.TerminationReason;
import dev.cloche.sandbox.directory.EndHold;
import dev.cloche.sandbox.directory.EndPlan;
import dev.cloche.sandbox.directory.OwnerLock;
import dev.cloche.sandbox.directory.SandboxLocks.Claim;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * Ends sandboxes, and records how they ended, whether a caller asks for the end, or a process sees it happen or finds
 * out later.
 *
 * <p>Any number of threads and processes may do all of this at once to one sandbox: the first word on an end is the one
 * that is recorded, and removing what is gone already is success. Any process that knows changes the record; files only
 * the process that holds the sandbox's lock.
 */
public final class SandboxTerminator {
    private static final Duration KILL_LIMIT = Duration.ofSeconds(30);
    /** What a living owner has for noticing the end of its VM and letting go of it; takes milliseconds. */
    static final Duration RELEASE_LIMIT = Duration.ofSeconds(10);

    /** Is for a caller that only looks. */
    private static final Duration LOOK_LIMIT = Duration.ofSeconds(1);

    /** In which an end can be asked for. */
    public static final Set<SandboxStatus> ENDABLE =
            EnumSet.of(SandboxStatus.RUNNING, SandboxStatus.PAUSED, SandboxStatus.DRAINING);

    private final SandboxContext context;
    private final SandboxRemoval removal;
    private final SandboxCleanup cleanup;
    private final SuspensionRecovery suspensions;

    public SandboxTerminator(SandboxContext context) {
        this.context = context;
        suspensions = new SuspensionRecovery(context);
        removal = new SandboxRemoval(context);
        cleanup = new SandboxCleanup(context);
    }

    /**
     * Returns the record as it is true now; empty if it was ephemeral and has ended. On a read-only file system, where
     * no end can be recorded, it is as it stands.
     */
    Optional<SandboxRecord> settled(SandboxRecord record) {
        if (context.store().readOnly()) {
            return Optional.of(record);
        }
        boolean over = record.status().terminal() && record.ephemeral();
        if (!over && !suspensions.isUnfinished(record) && leftover(record).isEmpty()) {
            return Optional.of(record);
        }
        return switch (claimSoon(record)) {
            // Its owner is about to say how it ended, or another process is settling or removing it.
            case Claim.Held() -> context.store().byId(record.id());
            case Claim.Gone() -> Optional.empty();
            case Claim.Taken(OwnerLock lock, SandboxRecord now) -> {
                try (lock) {
                    yield settle(lock, now);
                }
            }
        };
    }

    /**
     * Claims a sandbox soon: a process that sees a VM end, or removes something, does so in milliseconds; a start takes
     * what it takes.
     */
    private Claim claimSoon(SandboxRecord record) {
        boolean takesLong =
                record.status() == SandboxStatus.STARTING || record.status().suspends();
        Duration patience = takesLong ? Duration.ZERO : LOOK_LIMIT;
        return context.locks().claimPatiently(record, Deadline.after(patience));
    }

    /** Reconciles a record with what is really there, for a caller that holds its lock. */
    Optional<SandboxRecord> settle(OwnerLock lock, SandboxRecord record) {
        if (!suspensions.settle(record, Deadline.after(KILL_LIMIT))) {
            leftover(record).ifPresent(termination -> record(record.id(), termination));
        }
        cleanUnder(lock, record.id());
        return context.store().byId(record.id());
    }

    private Optional<Termination> leftover(SandboxRecord record) {
        return record.status().active() ? CrashDetection.of(record, vmInfo(record)) : Optional.empty();
    }

    /** Records an end, unless one is recorded already. */
    public void record(long id, Termination termination) {
        context.store().end(id, termination);
    }

    /** Records the end as {@link #record} does; false, and nothing is recorded, if its run goes on from its memory. */
    boolean recordUnlessSuspended(long id, Termination termination) {
        return context.store().endUnlessSuspended(id, termination);
    }

    /**
     * Lets a sandbox outlive its owner. Recorded first: one that is recorded as detached and ends with its owner is
     * settled by the next process that looks, but one that runs on although its owner is recorded as watching over it
     * would be an orphan.
     */
    void detach(long id, Vm vm) {
        if (context.store().detach(id)) {
            vm.detach();
        }
    }

    /** Returns why a sandbox is over whose VM has ended in this way. */
    public Termination termination(long id, VmId vm, VmExit exit) {
        Optional<SandboxRecord> record = context.store().byId(id);
        // A killed VM without a record was killed by the process that removed the record.
        Optional<TerminationReason> asked = record.isPresent()
                ? CrashDetection.asked(record.get())
                : Optional.of(TerminationReason.SHUTDOWN_REQUESTED).filter(_ -> exit.cause() == VmExit.Cause.KILLED);
        return record.flatMap(SandboxRecord::latestRun)
                .filter(run -> run.vm().equals(vm))
                .flatMap(RunRecord::termination)
                .orElseGet(() -> Termination.of(exit, asked));
    }

    /** Returns how a sandbox ends whose main command has ended, and whose owner ends it with that. */
    Termination ofMain(long id, ExitStatus status) {
        return context.store()
                .byId(id)
                .flatMap(CrashDetection::asked)
                .map(why -> Termination.ofStoppedMain(why, status))
                .orElseGet(() -> Termination.ofMain(status, false));
    }

    /** Records how a VM ended, after its owner has seen it end and let go of it. */
    void observed(long id) {
        recordEndOf(id, Optional.empty());
    }

    /**
     * Asks the guest to end, and kills it if it has not done so after {@code grace}. Of a sandbox that has ended, nothing
     * happens.
     *
     * @param reason why; {@link TerminationReason#SIGNAL} to kill it without asking
     * @throws SandboxException.Starting if a living process is starting it
     */
    public void end(SandboxRecord record, TerminationReason reason, Duration grace, Deadline deadline) {
        if (record.status().suspends()) {
            giveUpMemory(record, reason, deadline);
            return;
        }
        if (!record.status().active()) {
            if (record.policies().restart().kind() != RestartPolicy.Kind.NO) {
                // It would be started again.
                context.store().giveUp(record.id());
            }
            return;
        }
        if (record.status() == SandboxStatus.STARTING
                && context.locks().directory(record).isHeld()) {
            throw new SandboxException.Starting(record.name());
        }
        boolean atOnce = grace.isZero() || reason == TerminationReason.SIGNAL;
        EndPlan plan = EndPlan.stop(atOnce ? Duration.ZERO : grace);
        // Should this process die in between, a sweep of another goes on.
        try (EndHold _ = EndHold.take(context.locks().directory(record), plan)) {
            if (!context.store().ask(record.id(), reason, ENDABLE)) {
                requireNoSuspension(record);
            }
            carryOut(record, reason, atOnce ? Duration.ZERO : grace, deadline);
        }
        // If it is to go. Otherwise the process that has it in hand sees to that.
        var _ = cleanup.clean(record.id());
    }

    /** A guest that is halted because its memory counts must neither be asked nor go on. */
    private void requireNoSuspension(SandboxRecord record) {
        if (context.store()
                .byId(record.id())
                .filter(now -> now.status().suspends())
                .isPresent()) {
            throw new SandboxException.Owned(record.name());
        }
    }

    /** Ends a suspended sandbox: nothing goes on from its memory any more. */
    private void giveUpMemory(SandboxRecord record, TerminationReason reason, Deadline deadline) {
        switch (context.locks().claimPatiently(record, deadline.orAfter(RELEASE_LIMIT))) {
            case Claim.Gone() -> {}
            case Claim.Held() -> throw new SandboxException.Owned(record.name());
            case Claim.Taken(OwnerLock lock, SandboxRecord now) -> {
                try (lock) {
                    var _ = suspensions.settle(now, deadline.orAfter(KILL_LIMIT));
                    if (context.store()
                            .byId(now.id())
                            .filter(settled -> settled.status() == SandboxStatus.SUSPENDED)
                            .isPresent()) {
                        record(now.id(), Termination.ofLeftover(Optional.empty(), Optional.of(reason)));
                        cleanUnder(lock, now.id());
                        return;
                    }
                }
                // It was cut short before its memory was on the disk.
                context.store().byId(now.id()).ifPresent(runs -> end(runs, reason, Duration.ZERO, deadline));
            }
        }
    }

    private void carryOut(SandboxRecord record, TerminationReason reason, Duration grace, Deadline deadline) {
        try {
            boolean claimed = record.status() != SandboxStatus.STARTING
                    || context.claims().has(record.id(), vmOf(record));
            if (!claimed) {
                // Its dead starter had chosen it, no more.
            } else if (grace.isZero()) {
                context.vms().kill(vmOf(record), deadline.orAfter(KILL_LIMIT));
            } else {
                endSoftly(record, grace, deadline);
            }
        } catch (VmException.NotFound | VmException.WrongState endedMeanwhile) {
            // As was to be reached.
        }
        recordEndOf(record.id(), Optional.of(reason));
    }

    /**
     * Waits for the end of a sandbox that this process owns. A guest that breaks the protocol on its owner's connection, or reads
     * nothing of it any more, is ended: it could neither be asked nor trusted.
     */
    void awaitEnd(SandboxRecord record, Vm vm) {
        try {
            VmException lost = vm.guest().awaitLoss(Deadline.none());
            // A process that ends it or has halted it has its reasons, and need not ask its guest.
            if (lost instanceof GuestException.ProtocolBroken
                    && vm.state().live()
                    && vm.hindrance().isEmpty()) {
                endDeaf(record, EnumSet.of(SandboxStatus.RUNNING), lost);
            }
        } catch (VmException.WrongState ended) {
            // As is waited for.
        }
        var _ = vm.awaitExit(Deadline.none());
    }

    /** Ends the sandbox of a guest that does not answer, for its owner to settle. */
    void endDeaf(SandboxRecord record, Set<SandboxStatus> from, VmException deaf) {
        EndPlan plan = EndPlan.stop(Duration.ZERO);
        try (EndHold _ = EndHold.take(context.locks().directory(record), plan)) {
            if (context.store().ask(record.id(), TerminationReason.AGENT_UNRESPONSIVE, from)) {
                killDeaf(record, deaf);
            }
        }
    }

    private void killDeaf(SandboxRecord record, VmException deaf) {
        System.getLogger(SandboxTerminator.class.getName())
                .log(
                        System.Logger.Level.WARNING,
                        "the guest of sandbox " + record.name() + " does not answer, and is ended",
                        deaf);
        try {
            context.vms().kill(vmOf(record), Deadline.after(KILL_LIMIT));
        } catch (VmException endedMeanwhile) {
            deaf.addSuppressed(endedMeanwhile);
        }
    }

    /**
     * Ends a sandbox that is starting, for a caller that holds its lock: its starter, which held that to the end, is
     * dead, and no process would go on with the VM that it has begun.
     */
    void endAbandonedStart(SandboxRecord record) {
        if (record.status() != SandboxStatus.STARTING || !context.claims().has(record.id(), vmOf(record))) {
            return;
        }
        try {
            context.vms().kill(vmOf(record), Deadline.after(KILL_LIMIT));
            record(record.id(), Termination.abandonedStart());
        } catch (VmException.NotFound | VmException.WrongState overOrNeverBegun) {
            // The process that settles it says how.
        }
    }

    private void endSoftly(SandboxRecord record, Duration grace, Deadline deadline) {
        VmId id = vmOf(record);
        // One that is draining may have been paused before.
        if (record.status() != SandboxStatus.RUNNING) {
            try {
                SandboxPause.release(context, record, deadline);
            } catch (VmException.Monitor | VmException.Deadline | VmException.Hindered deaf) {
                // Its guest will not answer either.
            }
        }
        var _ = context.vms().stop(id, grace, deadline);
    }

    private void recordEndOf(long id, Optional<TerminationReason> asked) {
        Optional<SandboxRecord> active =
                context.store().byId(id).filter(record -> record.status().active());
        if (active.isPresent()) {
            Optional<VmInfo> vm = vmInfo(active.get());
            Optional<TerminationReason> why = CrashDetection.asked(active.get()).or(() -> asked);
            if (vm.filter(info -> info.state().live()).isEmpty()) {
                record(id, Termination.ofLeftover(vm.flatMap(VmInfo::exit), why));
            }
        }
    }

    /** Records the end of a sandbox whose guest did not go on from its memory, which was let go of. */
    public void goneAfterResume(long id) {
        record(id, Termination.lostAfterResume());
    }

    /** Removes the sandbox if it is to go. What resists stays recorded and visible, and is tried again. */
    void cleanUnder(OwnerLock lock, long id) {
        var _ = cleanup.cleanUnder(lock, id);
    }

    /** Removes all of a first start that failed, also if its row is gone. */
    public void forget(OwnerLock lock, long id, String name, VmId vm) {
        removal.destroy(vm);
        context.store().doom(id);
        context.vms().disks().delete(lock.directory().disk());
        lock.directory().remove();
        context.images().release(SandboxContext.holder(id, name));
        context.store().deleteEnded(id);
    }

    private Optional<VmInfo> vmInfo(SandboxRecord record) {
        return record.latestRun()
                .map(RunRecord::vm)
                .filter(vm -> record.status() != SandboxStatus.STARTING
                        || !context.vms().isPooled(vm))
                .flatMap(context.vms()::get);
    }

    /**
     * Returns the VM of its latest run.
     *
     * @throws SandboxException.NotRunning if it has never run
     */
    public static VmId vmOf(SandboxRecord record) {
        return record.latestRun()
                .map(RunRecord::vm)
                .orElseThrow(() -> new SandboxException.NotRunning(record.name(), record.status()));
    }
}
