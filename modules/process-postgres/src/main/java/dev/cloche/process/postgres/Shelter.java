package dev.cloche.process.postgres;

import dev.cloche.process.ProcessException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * Threads on which nobody is interrupted, one per connection. An interrupt of a virtual thread closes the socket that it
 * reads from, and with it the transaction, whose fate would then be in doubt; so callers wait here, and keep their
 * interrupt until the call is over.
 */
final class Shelter implements AutoCloseable {
    private final ExecutorService threads;

    Shelter(String name, int count) {
        threads = Executors.newFixedThreadPool(
                count, Thread.ofPlatform().daemon().name(name + "-", 1).factory());
    }

    <T> T call(Supplier<T> task) {
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
                    return pending.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
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
