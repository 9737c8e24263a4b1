package dev.cloche.vm;

import dev.cloche.base.Deadline;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The handle of a VM, whatever runs it: its states, the watchdog of its boot, and its end.
 *
 * <p>{@code lock} guards the fields and is never held while waiting. {@code changing} is held by the one call that is
 * changing the state, so a pause waits for another; ends do not need it, because a VM may end at any time.
 */
final class ManagedVm implements Vm {
    /** What a guest has for syncing its disks, beyond the grace of its processes. */
    private static final Duration SYNC_ALLOWANCE = Duration.ofSeconds(2);
    /** What a killed VM has until its end is recorded; takes milliseconds unless the disk hangs. */
    private static final Duration KILL_ALLOWANCE = Duration.ofSeconds(10);

    private final VmId id;
    private final Machine machine;
    private final BootPolicy policy;
    private final boolean owned;
    private final Consumer<ManagedVm> onClose;

    private final ReentrantLock changing = new ReentrantLock();
    private final ReentrantLock lock = new ReentrantLock();
    private VmState state = VmState.CREATED;
    private Optional<Run> run = Optional.empty();
    private Optional<GuestConnection> guest = Optional.empty();
    private CompletableFuture<VmExit> exit = new CompletableFuture<>();
    private boolean attached;
    private boolean closed;

    private ManagedVm(
            VmId id, Machine machine, BootPolicy policy, boolean owned, boolean attached, Consumer<ManagedVm> onClose) {
        this.id = id;
        this.machine = machine;
        this.policy = policy;
        this.owned = owned;
        this.attached = attached;
        this.onClose = onClose;
    }

    /** A new VM of this process. */
    static ManagedVm created(VmSpec spec, Machine machine, BootPolicy policy, Consumer<ManagedVm> onClose) {
        return new ManagedVm(spec.id(), machine, policy, true, spec.attached(), onClose);
    }

    /** A VM that runs already, whose connection has been greeted. */
    static ManagedVm connected(
            VmId id, Machine machine, Run run, GuestConnection connection, Consumer<ManagedVm> onClose) {
        ManagedVm vm = new ManagedVm(id, machine, BootPolicy.DEFAULT, false, false, onClose);
        vm.adopt(run, connection);
        return vm;
    }

    @Override
    public VmId id() {
        return id;
    }

    @Override
    public VmState state() {
        return locked(() -> state);
    }

    @Override
    public void start(Deadline deadline) {
        if (!changing.tryLock()) {
            throw new VmStateException(id, state(), "be started while something else is done with it");
        }
        try {
            require(VmTransition.STARTED, "be started");
            boot(deadline);
        } finally {
            changing.unlock();
        }
    }

    private void boot(Deadline deadline) {
        Optional<VmException> last = Optional.empty();
        try {
            for (int attempt = 1; attempt <= policy.attempts(); attempt++) {
                last = attempt(deadline);
                if (last.isEmpty()) {
                    return;
                }
                if (deadline.passed()) {
                    throw new VmDeadlineException("the start of VM " + id);
                }
                if (locked(() -> closed)) {
                    break;
                }
            }
        } catch (VmException e) {
            startFailed();
            throw e;
        }
        startFailed();
        throw new VmStartException(
                "VM " + id + " did not come up in " + policy.attempts() + " attempts: "
                        + last.map(Throwable::getMessage).orElse("it was closed"),
                "Give it what its console asks for; try again if the host was busy.",
                machine.consoleTail(),
                last.orElse(null));
    }

    /** One boot; empty if it worked, or why it is worth another. */
    private Optional<VmException> attempt(Deadline deadline) {
        Run booting = machine.boot(deadline);
        GuestConnection connection = GuestConnection.open(id.value(), booting.channel());
        try {
            // In one step, so that a close meanwhile either sees this run or is seen here.
            boolean tooLate = locked(() -> {
                run = Optional.of(booting);
                return closed;
            });
            if (tooLate) {
                throw new VmStateException(id, VmState.CREATED, "be started after it was closed");
            }
            // Whichever comes first: the guest's hello, its end, or a broken connection.
            CompletableFuture<Object> first = CompletableFuture.anyOf(connection.ready(), booting.ended());
            Object event = Waiting.on(first, deadline.orAfter(policy.helloWithin()), "the guest's hello");
            if (event instanceof GuestHello) {
                adopt(booting, connection);
                return Optional.empty();
            }
            abort(booting, connection);
            return Optional.of(new GuestConnectionLostException("it ended while it was booting", null));
        } catch (VmDeadlineException | GuestConnectionLostException | GuestProtocolException e) {
            abort(booting, connection);
            return Optional.of(e);
        } catch (VmException e) {
            abort(booting, connection);
            throw e;
        }
    }

    private void abort(Run booting, GuestConnection connection) {
        connection.close();
        booting.kill();
        // Waits even when interrupted, for some milliseconds: a next attempt needs the files of this one.
        boolean interrupted = Thread.interrupted();
        try {
            var _ = booting.ended().get(KILL_ALLOWANCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            interrupted = true;
        } catch (ExecutionException | TimeoutException e) {
            log("the end of a failed boot of " + id + " is not known", e);
        } finally {
            booting.close();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void startFailed() {
        locked(() -> {
            run = Optional.empty();
            return move(VmTransition.START_FAILED);
        });
    }

    private void adopt(Run running, GuestConnection connection) {
        locked(() -> {
            state = VmState.RUNNING;
            run = Optional.of(running);
            guest = Optional.of(connection);
            return state;
        });
        var _ = running.ended().whenComplete((how, failure) -> {
            locked(() -> move(how != null && !how.crashed() ? VmTransition.ENDED : VmTransition.CRASHED));
            if (how != null) {
                exit.complete(how);
            } else {
                exit.completeExceptionally(failure);
            }
        });
    }

    @Override
    public Guest guest() {
        return live("speak to its guest");
    }

    private GuestConnection live(String wanted) {
        lock.lock();
        try {
            if (!state.live()) {
                throw new VmStateException(id, state, wanted);
            }
            return guest.orElseThrow();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void pause(Deadline deadline) {
        change(VmTransition.PAUSED, "be paused", deadline, running -> running.pause(deadline));
    }

    @Override
    public void resume(Deadline deadline) {
        change(VmTransition.RESUMED, "be resumed", deadline, running -> running.resume(deadline));
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
            require(transition, wanted);
            how.accept(locked(() -> run).orElseThrow());
            locked(() -> move(transition));
        } finally {
            changing.unlock();
        }
    }

    @Override
    public VmExit stop(Duration grace, Deadline deadline) {
        Optional<VmExit> known = alreadyEnded("be stopped");
        if (known.isPresent()) {
            return known.get();
        }
        if (state() == VmState.RUNNING) {
            try {
                Deadline patience = deadline.orAfter(grace.plus(SYNC_ALLOWANCE));
                live("be stopped").shutdown(grace, patience);
                return Waiting.on(exit, patience, "the guest's shutdown");
            } catch (VmDeadlineException
                    | VmStateException
                    | GuestConnectionLostException
                    | GuestProtocolException
                    | GuestRefusedException
                    | VmBusyException askedInVain) {
                log("VM " + id + " is killed, because it does not stop", askedInVain);
            }
        }
        return kill(Deadline.after(KILL_ALLOWANCE));
    }

    @Override
    public VmExit kill(Deadline deadline) {
        Optional<VmExit> known = alreadyEnded("be killed");
        if (known.isPresent()) {
            return known.get();
        }
        locked(() -> run).ifPresent(Run::kill);
        return Waiting.on(exit, deadline, "the end of VM " + id);
    }

    @Override
    public VmExit awaitExit(Deadline deadline) {
        return alreadyEnded("be waited for").orElseGet(() -> Waiting.on(exit, deadline, "the end of VM " + id));
    }

    private Optional<VmExit> alreadyEnded(String wanted) {
        lock.lock();
        try {
            if (exit.isDone() && !exit.isCompletedExceptionally()) {
                return Optional.of(exit.join());
            }
            if ((!state.live() && guest.isEmpty()) || state == VmState.DESTROYED) {
                throw new VmStateException(id, state, wanted);
            }
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void detach() {
        live("be detached");
        if (!owned) {
            throw new VmStateException(id, state(), "be detached by a process that does not own it");
        }
        locked(() -> run).ifPresent(Run::detach);
        locked(() -> attached = false);
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
            require(VmTransition.DESTROYED, "be destroyed");
            machine.destroy();
            locked(() -> move(VmTransition.DESTROYED));
        } finally {
            changing.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
        } finally {
            lock.unlock();
        }
        try {
            boolean mine = owned && locked(() -> attached) && !exit.isDone();
            Optional<Run> running = locked(() -> run);
            if (mine && running.isPresent()) {
                running.get().kill();
                if (state().live()) {
                    Waiting.on(exit, Deadline.after(KILL_ALLOWANCE), "the end of VM " + id);
                }
            }
        } finally {
            locked(() -> guest).ifPresent(GuestConnection::close);
            locked(() -> run).ifPresent(Run::close);
            machine.release();
            onClose.accept(this);
        }
    }

    /** Closes all of them, goes on after a failure, and throws the first with the others suppressed. */
    static void closeAll(Iterable<ManagedVm> vms) {
        Optional<RuntimeException> first = Optional.empty();
        for (ManagedVm vm : vms) {
            try {
                vm.close();
            } catch (RuntimeException e) {
                first.ifPresent(earlier -> earlier.addSuppressed(e));
                first = first.or(() -> Optional.of(e));
            }
        }
        first.ifPresent(failure -> {
            throw failure;
        });
    }

    /** @throws VmStateException if the transition does not exist in the present state */
    private void require(VmTransition transition, String wanted) {
        lock.lock();
        try {
            boolean tooLate = closed && transition == VmTransition.STARTED;
            if (tooLate || VmTransitions.next(state, transition).isEmpty()) {
                throw new VmStateException(id, state, wanted);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Follows the table; where it has no such transition, the VM has ended meanwhile, and stays what it is. */
    private VmState move(VmTransition transition) {
        state = VmTransitions.next(state, transition).orElse(state);
        return state;
    }

    private <T> T locked(Supplier<T> body) {
        lock.lock();
        try {
            return body.get();
        } finally {
            lock.unlock();
        }
    }

    private static void log(String what, Throwable why) {
        System.getLogger(Vm.class.getName()).log(System.Logger.Level.DEBUG, what, why);
    }
}
