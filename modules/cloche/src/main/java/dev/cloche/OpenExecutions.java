package dev.cloche;

import dev.cloche.base.Uninterrupted;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The executions that were begun by one connection to a guest and are still open. What closes the connection closes them first,
 * because without it they could not end their commands. Safe for use from several threads.
 */
final class OpenExecutions implements AutoCloseable {
    private final Set<Execution> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** Closes it with the connection, unless it is closed or over before. */
    Execution add(Execution execution) {
        execution.whenOver(() -> open.remove(execution));
        open.add(execution);
        if (closed) {
            execution.close();
        }
        return execution;
    }

    /** Closes them all side by side, as {@link Execution#close} does. Not cut short by an interrupt. */
    @Override
    public void close() {
        closed = true;
        if (open.isEmpty()) {
            return;
        }
        Uninterrupted.run(() -> {
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                open.forEach(execution -> threads.execute(() -> close(execution)));
            }
        });
    }

    private static void close(Execution execution) {
        try {
            execution.close();
        } catch (RuntimeException lost) {
            System.getLogger(OpenExecutions.class.getName())
                    .log(System.Logger.Level.DEBUG, "a command could not be let go of", lost);
        }
    }
}
