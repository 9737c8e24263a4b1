package dev.cloche.process;

import java.util.Optional;

/** Says what a worker does with a process that it has the lease of. Called in threads of their own, many at once. */
@FunctionalInterface
public interface ProcessDriver {
    /**
     * Drives a process to its end.
     *
     * <p>The thread is interrupted when the lease is lost, from which moment on another worker may be driving, and when the
     * worker is to stop. Then it returns as soon as it can, and touches nothing outside any more.
     *
     * @return how it ended, to be recorded under the lease; or empty to give it back unfinished, to be driven again
     *     after a pause ({@link DrivenProcess#later})
     * @throws InterruptedException if it was interrupted; the process is given back
     * @throws Exception if it failed in a way that it has no word for: it is tried again or has failed, as {@link
     *     ProcessLeases#attemptFailed} says, with the message of this. Only
     *     {@link ProcessException.LeaseLost} and {@link ProcessException.StoreFailed} are not the process's failure: it
     *     is given back
     */
    Optional<AwaitOutput> drive(DrivenProcess process) throws Exception;
}
