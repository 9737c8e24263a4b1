package dev.cloche.vmm;

import dev.cloche.base.Deadline;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmState;
import dev.cloche.vmm.channel.GuestConnection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Holds what a handle knows of its VM: state, run, connection and end. One lock guards all of it and is never held while
 * waiting, so that each answer is of one moment. Safe for use from several threads.
 */
final class VmHandleState {
    private final VmId id;
    private final ReentrantLock lock = new ReentrantLock();
    private final CompletableFuture<VmExit> exit = new CompletableFuture<>();
    private VmState state = VmState.CREATED;
    private Optional<RunningVm> run = Optional.empty();
    private Optional<GuestConnection> guest = Optional.empty();
    private boolean closed;

    VmHandleState(VmId id) {
        this.id = id;
    }

    VmState state() {
        return locked(() -> state);
    }

    Optional<RunningVm> run() {
        return locked(() -> run);
    }

    Optional<GuestConnection> guest() {
        return locked(() -> guest);
    }

    /**
     * Has the bound on its writable disk hold, or not, as {@link RunningVm#enforceThrottle} does. If that fails, the guest is as it
     * was: what it has to write takes longer, or less long, than it should, which is no reason to lose it.
     */
    void enforceThrottle(boolean bound, Deadline deadline) {
        try {
            run().ifPresent(run -> run.enforceThrottle(bound, deadline));
        } catch (VmException inVain) {
            System.getLogger(Vm.class.getName())
                    .log(System.Logger.Level.DEBUG, "the bound on the disk of VM " + id + " stays as it is", inVain);
        }
    }

    /** Completes when the VM has ended; never, if its guest has never said hello. */
    CompletableFuture<VmExit> exit() {
        return exit;
    }

    boolean closed() {
        return locked(() -> closed);
    }

    /** @throws VmException.WrongState if the transition does not exist in the present state */
    void require(VmTransition transition, String wanted) {
        locked(() -> {
            boolean tooLate = closed && transition == VmTransition.STARTED;
            if (tooLate || VmTransitions.next(state, transition).isEmpty()) {
                throw new VmException.WrongState(id, state, wanted);
            }
            return state;
        });
    }

    /** Follows the table; where it has no such transition, the VM has ended meanwhile, and stays what it is. */
    void move(VmTransition transition) {
        locked(() -> follow(transition));
    }

    void halt(Deadline deadline) {
        run().orElseThrow().pause(deadline);
        move(VmTransition.PAUSED);
    }

    void goOn(Deadline deadline) {
        run().orElseThrow().resume(deadline);
        move(VmTransition.RESUMED);
    }

    /**
     * A boot begins. In one step, so that a close meanwhile either sees this run or is seen here.
     *
     * @throws VmException.WrongState if the handle is closed
     */
    void booting(RunningVm booting) {
        locked(() -> {
            run = Optional.of(booting);
            if (closed) {
                throw new VmException.WrongState(id, VmState.CREATED, "be started after it was closed");
            }
            return run;
        });
    }

    void startFailed() {
        locked(() -> {
            run = Optional.empty();
            return follow(VmTransition.START_FAILED);
        });
    }

    /** Its guest has said hello on this connection; from here on the state follows the end of the run. */
    void running(RunningVm running, GuestConnection connection) {
        locked(() -> {
            state = VmState.RUNNING;
            run = Optional.of(running);
            guest = Optional.of(connection);
            return state;
        });
        var _ = running.ended().whenComplete((how, failure) -> {
            move(how != null && !how.crashed() ? VmTransition.ENDED : VmTransition.CRASHED);
            if (how != null) {
                exit.complete(how);
            } else {
                exit.completeExceptionally(failure);
            }
        });
    }

    /** @throws VmException.WrongState if no guest exists */
    GuestConnection live(String wanted) {
        return locked(() -> {
            if (!state.live()) {
                throw new VmException.WrongState(id, state, wanted);
            }
            return guest.orElseThrow();
        });
    }

    /**
     * Returns how it ended; empty if it lives, or if that cannot be told.
     *
     * @throws VmException.WrongState if it has never run or is destroyed
     */
    Optional<VmExit> alreadyEnded(String wanted) {
        return locked(() -> {
            if (exit.isDone() && !exit.isCompletedExceptionally()) {
                return Optional.of(exit.join());
            }
            if ((!state.live() && guest.isEmpty()) || state == VmState.DESTROYED) {
                throw new VmException.WrongState(id, state, wanted);
            }
            return Optional.empty();
        });
    }

    /** Closes it for good; false if it was closed before. */
    boolean close() {
        return locked(() -> {
            boolean first = !closed;
            closed = true;
            return first;
        });
    }

    private VmState follow(VmTransition transition) {
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
}
