package dev.cloche.process.postgres;

import dev.cloche.base.Deadline;
import dev.cloche.process.ProcessException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Runs work on threads that are never interrupted, one per connection. An interrupt of a virtual thread closes the socket
 * that it reads from, and with it the transaction, whose fate would then be in doubt; so callers wait here, and keep their
 * interrupt until the call is over.
 */
final class UninterruptibleExecutor implements AutoCloseable {
    private final ExecutorService threads;

    UninterruptibleExecutor(String name, int count) {
        threads = Executors.newFixedThreadPool(
                count, Thread.ofPlatform().daemon().name(name + "-", 1).factory());
    }

    /** @throws ProcessException.StoreFailed if the deadline passes first; the call may then still run, or never begin */
    <T> T call(Supplier<T> task, Deadline deadline) {
        Future<T> pending;
        try {
            pending = threads.submit(task::get);
        } catch (RejectedExecutionException closed) {
            throw new ProcessException.Closed();
        }
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return pending.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (TimeoutException e) {
            pending.cancel(false);
            throw new ProcessException.StoreFailed(
                    "the database did not answer before the deadline.", "Wait longer, or look after the database.", e);
        } catch (ExecutionException e) {
            throw unwrapped(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static RuntimeException unwrapped(ExecutionException e) {
        return switch (e.getCause()) {
            case RuntimeException runtime -> runtime;
            case Error error -> throw error;
            case null, default -> new IllegalStateException(e);
        };
    }

    /** Waits for the calls that run. */
    @Override
    public void close() {
        threads.close();
    }
}
