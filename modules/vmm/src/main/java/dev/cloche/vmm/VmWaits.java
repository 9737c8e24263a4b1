package dev.cloche.vmm;

import dev.cloche.base.Deadline;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.VmException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for futures and turns timeouts and interrupts into this room's errors. */
public final class VmWaits {
    /** How often a wait looks whether it is in vain. */
    private static final Duration LOOK = Duration.ofSeconds(1);

    private VmWaits() {}

    /** Tells whether a VM works. */
    @FunctionalInterface
    public interface Hindered {
        /**
         * Does nothing if it works.
         *
         * @throws VmException.Hindered if it does not
         */
        void check();
    }

    /**
     * Returns the value of a future; a {@link VmException} that it holds is thrown as it is.
     *
     * @param what for the message, as in "Not in time: the guest's answer"
     */
    public static <T> T on(CompletableFuture<T> future, Deadline deadline, String what) {
        try {
            return future.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new VmException.Deadline(what);
        } catch (InterruptedException e) {
            throw interrupted(what);
        } catch (CancellationException e) {
            throw new GuestException.ConnectionLost("The handle was closed meanwhile: " + what, e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof VmException known) {
                throw known;
            }
            throw new IllegalStateException(what, e.getCause());
        }
    }

    /**
     * Waits as {@link #on(CompletableFuture, Deadline, String)} does, for what may never come as long as something hinders a
     * VM.
     *
     * @throws VmException.Hindered if something does
     */
    public static <T> T on(CompletableFuture<T> future, Deadline deadline, String what, Hindered vm) {
        while (true) {
            try {
                return on(future, deadline.orAfter(LOOK), what);
            } catch (VmException.Deadline late) {
                if (deadline.passed()) {
                    throw late;
                }
                vm.check();
            }
        }
    }

    public static VmException.Interrupted interrupted(String what) {
        Thread.currentThread().interrupt();
        return new VmException.Interrupted(what);
    }
}
