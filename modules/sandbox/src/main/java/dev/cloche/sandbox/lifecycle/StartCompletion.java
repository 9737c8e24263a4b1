package dev.cloche.sandbox.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.base.Uninterrupted;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.Termination;
import dev.cloche.sandbox.directory.SandboxUse;
import dev.cloche.sandbox.record.SandboxStore;
import dev.cloche.sandbox.record.StartRows;
import dev.cloche.sandbox.warm.Stopwatch;
import dev.cloche.sandbox.warm.VmLauncher;
import dev.cloche.sandbox.warm.WarmStarts;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import java.time.Duration;
import java.util.Optional;

/** Completes a start: a VM that has begun becomes the VM of a sandbox that runs. */
final class StartCompletion {
    /** From the guard's refusal to take orders to its last word on a VM that has ended; takes milliseconds. */
    private static final Duration END_LIMIT = Duration.ofSeconds(2);

    private final SandboxContext context;
    private final StartPlan plan;
    private final StartVmChoice choice;
    private final Deadline deadline;
    private boolean unanswered;
    /** The VM that it has begun with. */
    private Optional<VmId> begun = Optional.empty();

    private Optional<ProcessIdentity> guard = Optional.empty();

    StartCompletion(SandboxContext context, StartPlan plan, StartVmChoice choice, Deadline deadline) {
        this.context = context;
        this.plan = plan;
        this.choice = choice;
        this.deadline = deadline;
    }

    /** Does what needs no guest that answers: the files of the sandbox's life are made, and the VM's guard is looked up. */
    void begin(SandboxStart.Prepared prepared, VmId vm) {
        if (begun.filter(vm::equals).isPresent()) {
            return;
        }
        if (begun.isEmpty() && plan.known().isEmpty()) {
            SandboxUse.begins(prepared.directory());
        }
        guard = context.vms().get(vm).flatMap(VmInfo::guard);
        begun = Optional.of(vm);
    }

    /**
     * Waits for the guest. If that fails, the VM is closed.
     *
     * @param main what a sandbox ends with that outlives this process
     */
    SandboxStart.Started await(
            SandboxStart.Prepared prepared,
            VmLauncher.Launched launched,
            WarmStarts.Outcome warm,
            Optional<ExecRequest> main,
            Stopwatch total) {
        Vm vm = launched.vm();
        try {
            publish(vm);
            if (plan.policies().isSuspendedAtDeadline()) {
                context.vms().haltAtLimit(vm.id());
            }
            unanswered = true;
            // The record is written, and the command sent, while the guest of a boot takes its identity.
            begin(prepared, vm.id());
            SandboxRecord record = running(
                    prepared, new StartRows.Note(launched.kind(), prepared.took(), launched.boot(), warm.pool()));
            Optional<GuestExecution> command = main.map(request -> vm.guest().exec(request, deadline));
            VmLauncher.Launched answered = launched.acknowledged();
            unanswered = false;
            // However long this took, it could not have been used before.
            SandboxUse.touch(prepared.directory());
            if (Thread.currentThread().isInterrupted()) {
                // All answers were there before they were waited for.
                throw new SandboxException.Interrupted(plan.name());
            }
            command.ifPresent(started -> handOver(vm, started));
            return new SandboxStart.Started(
                    record,
                    vm,
                    prepared.place().lock(),
                    prepared.disk().config(),
                    answered.timings(total.elapsed(), prepared.took(), warm.missed()));
        } catch (Throwable failure) {
            Uninterrupted.after(failure, vm::close);
            throw failure;
        }
    }

    /** Before its command runs: of one that cannot be reached, nothing is to have happened. */
    private void publish(Vm vm) {
        if (!plan.network().channelPorts().isEmpty()) {
            var _ = context.vms().publish(vm.id(), plan.network().channelPorts(), deadline);
        }
    }

    /** Returns how a sandbox ends whose start has failed. */
    Termination termination(Throwable failure) {
        return Termination.ofFailedStart(failure, unanswered && failure instanceof VmException.Deadline);
    }

    private SandboxRecord running(SandboxStart.Prepared prepared, StartRows.Note note) {
        SandboxRecord record = context.store()
                .running(
                        prepared.place().id(),
                        guard,
                        choice.until(),
                        SandboxStore.FoundImage.of(prepared.disk()),
                        note,
                        plan.durability())
                .orElseThrow(() -> new SandboxException.NotFound(plan.name()));
        if (record.status() != SandboxStatus.RUNNING) {
            // It was ended by a process that cared neither for its lock nor for its status.
            throw new SandboxException.NotRunning(plan.name(), record.status());
        }
        return record;
    }

    /** The VM is let go only when the command runs: without one, nothing would ever end it. */
    private void handOver(Vm vm, GuestExecution main) {
        main.close();
        letGo(vm);
    }

    /** Lets a VM outlive this process. */
    static void letGo(Vm vm) {
        try {
            vm.detach();
        } catch (VmException refused) {
            // A short command may have ended, and its VM with it.
            if (!hasEnded(vm)) {
                throw refused;
            }
        }
    }

    private static boolean hasEnded(Vm vm) {
        try {
            return vm.awaitExit(Deadline.after(END_LIMIT)).mainExit().isPresent();
        } catch (VmException.Deadline alive) {
            return false;
        }
    }
}
