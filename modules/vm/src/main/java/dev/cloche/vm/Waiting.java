package dev.cloche.vm;

import dev.cloche.base.Deadline;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Turns the ends of a wait into this room's errors. */
final class Waiting {
    private Waiting() {}

    /**
     * The value of a future; a {@link VmException} that it holds is thrown as it is.
     *
     * @param what for the message, as in "Not in time: the guest's answer"
     */
    static <T> T on(CompletableFuture<T> future, Deadline deadline, String what) {
        try {
            return future.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new VmDeadlineException(what);
        } catch (InterruptedException e) {
            throw interrupted(what);
        } catch (CancellationException e) {
            throw new GuestConnectionLostException("The handle was closed meanwhile: " + what, e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof VmException known) {
                throw known;
            }
            throw new IllegalStateException(what, e.getCause());
        }
    }

    static VmInterruptedException interrupted(String what) {
        Thread.currentThread().interrupt();
        return new VmInterruptedException(what);
    }
}
