package dev.cloche.base;

import java.util.concurrent.FutureTask;

/**
 * Work that is done to its end although the thread that needs it is or gets interrupted, such as the removal of what an
 * interrupted start has made. It must be bounded by itself. The interrupt is kept for the caller. Safe for use from several
 * threads.
 */
public final class Uninterrupted {
    private Uninterrupted() {}

    /** Does the work on a thread of its own, which is never interrupted, and throws what it throws. */
    public static void run(Runnable work) {
        FutureTask<Boolean> task = new FutureTask<>(work, true);
        Thread worker = Thread.ofVirtual().name("cloche-uninterrupted").start(task);
        boolean interrupted = false;
        while (worker.isAlive()) {
            try {
                worker.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (task.state() == FutureTask.State.FAILED) {
            throw unchecked(task.exceptionNow());
        }
    }

    /** Does what is to be done after a failure; should that fail too, it is told with it. */
    public static void after(Throwable failure, Runnable work) {
        try {
            run(work);
        } catch (Throwable second) {
            failure.addSuppressed(second);
        }
    }

    /** A runnable throws nothing else. */
    private static RuntimeException unchecked(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return (RuntimeException) failure;
    }
}
