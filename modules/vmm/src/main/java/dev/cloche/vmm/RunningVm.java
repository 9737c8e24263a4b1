package dev.cloche.vmm;

import dev.cloche.base.Deadline;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmHindrance;
import dev.cloche.vm.VmId;
import java.nio.channels.ByteChannel;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Represents a VM that runs, as seen by its handle. Safe for use from several threads. */
public interface RunningVm extends AutoCloseable {
    /** Returns the connection to the guest's agent, open from the start. */
    ByteChannel channel();

    /** Completes when the VM has ended and its end is recorded. */
    CompletableFuture<VmExit> ended();

    /** Notes that its guest is about to be asked to shut down. */
    void stopAsked();

    /** Has it killed; does not wait, and does nothing if it has ended. */
    void kill();

    void pause(Deadline deadline);

    void resume(Deadline deadline);

    /** Returns why it does not work at present; empty if it does, as far as its guard knows. */
    default Optional<VmHindrance> hindrance() {
        return Optional.empty();
    }

    /**
     * Does nothing if it works.
     *
     * @throws VmException.Hindered if it does not at present
     */
    default void check(VmId id) {
        hindrance().ifPresent(why -> {
            throw new VmException.Hindered(id, why);
        });
    }

    /**
     * Makes the persistent disk larger; the guest is to be told.
     *
     * @throws VmException.Invalid if there is none, or it cannot have this size
     */
    void growDisk(int sizeMiB, Deadline deadline);

    /**
     * Has the bound on its writable disk hold that the VM has, or lets its guest write what it has to without one: for a guest that
     * is about to end. Nothing happens if it has none.
     */
    void enforceThrottle(boolean bound, Deadline deadline);

    /** Lets the VM outlive this process. */
    void detach();

    /** Gives back what this process holds of the run; an attached VM ends by this after its grace. */
    @Override
    void close();
}
