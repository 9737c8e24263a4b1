package dev.cloche.machine;

import java.util.concurrent.FutureTask;

/** Work that has to be done although its thread is interrupted: leaving things as they have to be left. */
final class Uninterrupted {
    private Uninterrupted() {}

    /** Does the work on a thread of its own; a failure of it is suppressed in {@code failure}. */
    static void after(Throwable failure, Runnable work) {
        FutureTask<Boolean> task = new FutureTask<>(work, true);
        Thread worker = Thread.ofVirtual().name("machine-aftermath").start(task);
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
            failure.addSuppressed(task.exceptionNow());
        }
    }
}
