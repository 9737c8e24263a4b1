package dev.cloche.vm;

import dev.cloche.base.Deadline;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The handle of a VM, whatever runs it: what its owner or a client may do with it, and how it is ended.
 *
 * <p>{@code changing} is held by the one call that is changing the state, so a pause waits for another; ends do not need
 * it, because a VM may end at any time.
 */
final class ManagedVm implements Vm {
    /** What a guest has for syncing its disks, beyond the grace of its processes. */
    private static final Duration SYNC_ALLOWANCE = Duration.ofSeconds(2);

    private final VmId id;
    private final Machine machine;
    private final BootPolicy policy;
    private final boolean owned;
    private final Consumer<Vm> onClose;

    private final ReentrantLock changing = new ReentrantLock();
    private final VmLife life;
    private volatile boolean attached;

    private ManagedVm(
            VmId id, Machine machine, BootPolicy policy, boolean owned, boolean attached, Consumer<Vm> onClose) {
        this.id = id;
        this.machine = machine;
        this.policy = policy;
        this.owned = owned;
        this.attached = attached;
        this.onClose = onClose;
        life = new VmLife(id);
    }

    /** A new VM of this process. */
    static ManagedVm created(VmSpec spec, Machine machine, BootPolicy policy, Consumer<Vm> onClose) {
        return new ManagedVm(spec.id(), machine, policy, true, spec.attached(), onClose);
    }

    /** A client of a VM that runs already; waits for the guest's hello. Closes the run if that fails. */
    static ManagedVm connected(VmId id, Run run, Consumer<Vm> onClose, Deadline deadline) {
        ManagedVm vm = new ManagedVm(id, new ForeignMachine(), BootPolicy.DEFAULT, false, false, onClose);
        vm.join(run, false, deadline);
        return vm;
    }

    /**
     * The new owner of a VM that runs already; waits for the guest's hello unless it is paused. Closes the run if that fails.
     */
    static ManagedVm adopted(
            VmSpec spec,
            Machine machine,
            Run run,
            boolean attached,
            boolean paused,
            Consumer<Vm> onClose,
            Deadline deadline) {
        ManagedVm vm = new ManagedVm(spec.id(), machine, BootPolicy.DEFAULT, true, attached, onClose);
        vm.join(run, paused, deadline);
        return vm;
    }

    private void join(Run run, boolean paused, Deadline deadline) {
        GuestConnection connection = GuestConnection.open(id.value(), run.channel());
        try {
            if (!paused) {
                var _ = Waiting.on(connection.ready(), deadline, "the guest's hello");
            }
        } catch (RuntimeException e) {
            connection.close();
            run.close();
            throw e;
        }
        life.running(run, connection);
        if (paused) {
            life.move(VmTransition.PAUSED);
        }
    }

    @Override
    public VmId id() {
        return id;
    }

    @Override
    public VmState state() {
        return life.state();
    }

    @Override
    public void start(Deadline deadline) {
        if (!changing.tryLock()) {
            throw new VmStateException(id, state(), "be started while something else is done with it");
        }
        try {
            life.require(VmTransition.STARTED, "be started");
            new Boot(id, machine, policy, life).run(deadline);
        } finally {
            changing.unlock();
        }
    }

    @Override
    public Guest guest() {
        return life.live("speak to its guest");
    }

    @Override
    public void pause(Deadline deadline) {
        change(VmTransition.PAUSED, "be paused", deadline, running -> running.pause(deadline));
    }

    @Override
    public void resume(Deadline deadline) {
        change(VmTransition.RESUMED, "be resumed", deadline, running -> running.resume(deadline));
        // One that was adopted while it was paused has not been greeted yet.
        var _ = Waiting.on(life.live("be resumed").ready(), deadline, "the guest's hello");
    }

    private void change(VmTransition transition, String wanted, Deadline deadline, Consumer<Run> how) {
        try {
            if (!changing.tryLock(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
                throw new VmDeadlineException("another change of VM " + id);
            }
        } catch (InterruptedException e) {
            throw Waiting.interrupted("another change of VM " + id);
        }
        try {
            life.require(transition, wanted);
            how.accept(life.run().orElseThrow());
            life.move(transition);
        } finally {
            changing.unlock();
        }
    }

    @Override
    public VmExit stop(Duration grace, Deadline deadline) {
        Optional<VmExit> known = life.alreadyEnded("be stopped");
        if (known.isPresent()) {
            return known.get();
        }
        if (state() == VmState.RUNNING) {
            try {
                Deadline patience = deadline.orAfter(grace.plus(SYNC_ALLOWANCE));
                GuestConnection guest = life.live("be stopped");
                life.run().ifPresent(Run::stopAsked);
                guest.shutdown(grace, patience);
                return Waiting.on(life.exit(), patience, "the guest's shutdown");
            } catch (VmDeadlineException
                    | VmStateException
                    | GuestConnectionLostException
                    | GuestProtocolException
                    | GuestRefusedException
                    | VmBusyException askedInVain) {
                log("VM " + id + " is killed, because it does not stop", askedInVain);
            }
        }
        return kill(Deadline.after(Boot.KILL_ALLOWANCE));
    }

    @Override
    public VmExit kill(Deadline deadline) {
        Optional<VmExit> known = life.alreadyEnded("be killed");
        if (known.isPresent()) {
            return known.get();
        }
        life.run().ifPresent(Run::kill);
        return Waiting.on(life.exit(), deadline, "the end of VM " + id);
    }

    @Override
    public VmExit awaitExit(Deadline deadline) {
        return life.alreadyEnded("be waited for")
                .orElseGet(() -> Waiting.on(life.exit(), deadline, "the end of VM " + id));
    }

    @Override
    public void detach() {
        life.live("be detached");
        if (!owned) {
            throw new VmStateException(id, state(), "be detached by a process that does not own it");
        }
        life.run().ifPresent(Run::detach);
        attached = false;
    }

    @Override
    public void destroy() {
        if (!owned) {
            throw new VmStateException(id, state(), "be destroyed by a process that does not own it");
        }
        if (!changing.tryLock()) {
            throw new VmStateException(id, state(), "be destroyed while something else is done with it");
        }
        try {
            if (state() == VmState.DESTROYED) {
                return;
            }
            life.require(VmTransition.DESTROYED, "be destroyed");
            machine.destroy();
            life.move(VmTransition.DESTROYED);
        } finally {
            changing.unlock();
        }
    }

    @Override
    public void close() {
        if (!life.close()) {
            return;
        }
        try {
            boolean mine = owned && attached && !life.exit().isDone();
            Optional<Run> running = life.run();
            if (mine && running.isPresent()) {
                running.get().kill();
                if (state().live()) {
                    Waiting.on(life.exit(), Deadline.after(Boot.KILL_ALLOWANCE), "the end of VM " + id);
                }
            }
        } finally {
            life.guest().ifPresent(GuestConnection::close);
            life.run().ifPresent(Run::close);
            machine.release();
            onClose.accept(this);
        }
    }

    private static void log(String what, Throwable why) {
        System.getLogger(Vm.class.getName()).log(System.Logger.Level.DEBUG, what, why);
    }
}
