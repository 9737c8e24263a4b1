package dev.cloche.vmm;

import dev.cloche.base.Deadline;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmState;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** Serializes the changes of one VM's state. Ends do not need it, because a VM may end at any time. */
public final class StateChangeLock {
    private final VmId id;
    private final ReentrantLock lock = new ReentrantLock();

    StateChangeLock(VmId id) {
        this.id = id;
    }

    /**
     * After another one.
     *
     * @throws VmException.Deadline if that takes too long
     */
    void next(Deadline deadline, Runnable change) {
        try {
            if (!lock.tryLock(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
                throw new VmException.Deadline("another change of VM " + id);
            }
        } catch (InterruptedException e) {
            throw VmWaits.interrupted("another change of VM " + id);
        }
        run(change);
    }

    /** Like {@link #next}, for what has a result. */
    <T> T result(Deadline deadline, Supplier<T> change) {
        AtomicReference<Optional<T>> result = new AtomicReference<>(Optional.empty());
        next(deadline, () -> result.set(Optional.of(change.get())));
        return result.get().orElseThrow();
    }

    /**
     * At once.
     *
     * @throws VmException.WrongState if there is another one
     */
    void now(Supplier<VmState> state, String wanted, Runnable change) {
        if (!lock.tryLock()) {
            throw new VmException.WrongState(id, state.get(), wanted + " while something else is done with it");
        }
        run(change);
    }

    private void run(Runnable change) {
        try {
            change.run();
        } finally {
            lock.unlock();
        }
    }
}
